"""Would it install from binaries?"""
