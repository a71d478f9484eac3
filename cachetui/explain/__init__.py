"""What to say of a query that is empty, misspelt or unfinished.

The modules:

    why             why a query takes nothing
    second_name     a name typed behind another, which takes its place
    unknown_values  the values that no row has, and what was meant
    near_values     what there is that comes nearest to such a value
    other_settings  what there is of a variant that nothing has as it was asked for
    mending         what is put in place of such a value
    only_way_on     the one name that a beginning of it goes on to
    named_package   the package that a query names, and what there is of it
    other_parts     what was meant by a part that nothing has, where it is a part of another kind
    fuzzy_name      which packages a name that is typed in part stands for
    host_names      the hosts to choose from
    host_meant      what runs on the host whose os and target a query asks for in vain
    host_summary    how many specs run on the host of a query, and why the others do not
    nearest_builds  the builds that come nearest to a query
    typed_text      the text of a query line: what can be read of it, what it lacks, what mends it
    made_readable   what makes a line readable that is not: one part in place of two, a host put right
    completion      completion of a query: what a half-written one may go on with
    next_part       whether what is typed behind a query of before begins another part
    package_filters what narrows the specs of one package
    offers          the names, versions and values that may stand in the place of a word
"""
