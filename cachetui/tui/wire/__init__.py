"""Only the cells that changed are written to the terminal. Nothing else touches Textual's private classes.

The modules:

    painter      the one door: an app that paints cell by cell
    driver       Textual's driver, writing frames and taking any bytes
    incoming     what a terminal sends, made safe
    cells        a screen as cells
    pen          the shortest text that turns one screen into another
    scroll       rows that only went up or down
    flow         what is written, and when
    idle         who has nothing to do
    below        the screen below a box, as the lines that are there
    questions    how much is on its way to the terminal
"""
