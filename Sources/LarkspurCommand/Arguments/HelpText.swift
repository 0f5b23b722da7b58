/// The help. It is created from the table of options.
enum HelpText {
    static let usage = """
        usage: larkspur [OPTION…] [METHOD] URL [ITEM…]
               larkspur [OPTION…] ws URL [ITEM…]
               larkspur doctor

        """

    private static let items: [(String, String)] = [
        ("Name:Value", "a field; Name: removes it, Name; sends it empty, Name:@FILE reads it"),
        ("name==value", "a parameter of the query; name==@FILE reads it"),
        ("name=value", "a text in JSON or a form; name=@FILE reads it"),
        ("name:=json", "a JSON value; name:=@FILE reads it"),
        ("a[b][0]=value", "nested JSON; a[]=value appends"),
        ("name@FILE", "a file of a multipart form; @FILE alone is the body"),
    ]

    /// The complete text of the help.
    static var text: String {
        var text =
            usage + "\nA command line for HTTP. Without a method it is GET, and POST with data. `:3000/path` is on\n"
        text += "this machine, and http:// may be left out. `ws` opens a WebSocket. `doctor` lists the\n"
        text += "libraries of this machine, and what they enable or lack. Default options are read from\n"
        text += "config.json in ~/.config/larkspur; --no-OPTION undoes an option.\n\nItems\n"
        text += items.map { line($0.0, $0.1) }.joined()
        for group in Option.Group.allCases { text += "\n" + section(group) }
        return text + "\nExit status: 0; 1 for errors; 2 timeout; 6 too many redirects; 130 Ctrl-C;\n"
            + "with --check-status 3, 4 or 5 for a response of that class.\n"
    }

    /// The options of one group.
    static func section(_ group: Option.Group) -> String {
        let options = OptionTable.all.filter { $0.group == group }
        return group.rawValue + "\n" + options.map { line($0.synopsis, $0.help) }.joined()
    }

    private static func line(_ left: String, _ right: String) -> String {
        "  " + left + String(repeating: " ", count: max(2, 28 - left.count)) + right + "\n"
    }
}
