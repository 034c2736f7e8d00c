# For Doxygen, whose headings of Markdown have no names: each is given the one that GitHub gives it, after the folder and
# the file, and links to headings name them so.
function id_of(path,   parts, n)
{
    n = split(path, parts, "/")
    sub(/\.md$/, "", parts[n])
    return (n > 1 ? parts[n - 1] "_" : "") parts[n]
}
function resolved(path)
{
    while (sub(/[^\/]+\/\.\.\//, "", path)) {}
    return path
}
function slug(text)
{
    text = tolower(text)
    gsub(/\]\([^)]*\)/, "", text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
FNR == 1 { folder = FILENAME; sub(/[^\/]*$/, "", folder) }
/^```/ { inside = !inside }
inside || /^    / { print; next }
/^##+ / {
    text = $0
    sub(/^#+ +/, "", text)
    print $0 " {#" id_of(FILENAME) "_" slug(text) "}"
    next
}
{
    line = ""
    rest = $0
    while (match(rest, /\]\([^)#: ]*#[^)]*\)/)) {
        link = substr(rest, RSTART + 2, RLENGTH - 3)
        split(link, part, "#")
        file = part[1] == "" ? FILENAME : resolved(folder part[1])
        line = line substr(rest, 1, RSTART + 1) "#" id_of(file) "_" part[2] ")"
        rest = substr(rest, RSTART + RLENGTH)
    }
    print line rest
}
