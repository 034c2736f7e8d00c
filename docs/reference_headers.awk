# For Doxygen: a comment of /// that an empty line or an #include follows is its file's, not the next declaration's. The
# blank line before it says so; line numbers stay.
function flush_block(   i) { for (i = 0; i < count; ++i) print block[i]; count = 0 }
/^\/\/\// { block[count++] = $0; next }
{
    if (count > 0) {
        if (blank) print (/^$|^#/ ? "/// @file" : "")
        blank = 0
        flush_block()
    }
    if (blank) print ""
    blank = /^$/
    if (!blank) print
}
END { if (blank) print ""; flush_block() }
