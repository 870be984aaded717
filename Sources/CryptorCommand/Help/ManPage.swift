import CryptorFiles

/// The man page, in the macros of man(7).
enum ManPage {
    static var text: String {
        let version = Cryptor.version.prefix { $0 != " " }
        // It has no date, which somebody would have to keep.
        var page = [".TH RNCRYPTOR 1 \"\" \"rncryptor \(version)\""]
        page += section("NAME", ["rncryptor \\- \(escaped(ManPageText.name))"])
        page += section("SYNOPSIS", synopsis)
        page += section("DESCRIPTION", paragraphs(ManPageText.description) + globalOptions)
        page += Subcommand.all.flatMap(lines)
        page += section("OPTIONS OF SEVERAL SUBCOMMANDS", shared.flatMap(lines))
        page += section("EXIT STATUS", definitions(ExitStatus.explanations))
        page += section("ENVIRONMENT", definitions(ManPageText.environment))
        page += section("EXAMPLES", examples)
        page += section("COLUMNS", recipes)
        page += section("SEE ALSO", seeAlso)
        return page.joined(separator: "\n") + "\n"
    }

    // MARK: Sections

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        [".SH \(title)"] + lines
    }

    private static var synopsis: [String] {
        let usages = Subcommand.all.map { subcommand in
            let words = subcommand.usage.split(separator: " ")
            let operands = words.dropFirst(2).joined(separator: " ")
            return [".B rncryptor \(subcommand.name)", escaped(operands)]
        }
        return Array(usages.joined(separator: [".br"]))
    }

    private static var globalOptions: [String] { Command.options.flatMap(lines) }

    private static func lines(for subcommand: Subcommand) -> [String] {
        let isShared = Set(shared.map(\.name))
        let names = subcommand.options.filter { isShared.contains($0.name) }
            .flatMap(\.spellings).map(bold)
        return section(
            subcommand.name.uppercased(),
            paragraphs("\(subcommand.summary)\n\n\(subcommand.discussion)")
                + subcommand.options.filter { !isShared.contains($0.name) }.flatMap(lines)
                + [".PP", "Explained below: \(names.joined(separator: ", "))."])
    }

    /// The options that mean the same in each of several subcommands.
    private static let shared: [Option] = {
        let all = Subcommand.all.flatMap(\.options)
        var seen: Set<String> = []
        return all.filter { option in
            let helps = all.filter { $0.name == option.name }.map(\.help)
            return helps.count > 1 && Set(helps).count == 1 && seen.insert(option.name).inserted
        }
    }()

    private static func lines(for option: Option) -> [String] {
        var names = option.spellings.map(bold).joined(separator: ", ")
        if let value = option.value { names += " \\fI\(value.placeholder)\\fR" }
        return [".TP", names] + wrapped(option.help)
    }

    private static var examples: [String] {
        [".nf"] + Subcommand.all.flatMap(\.examples).map(escaped) + [".fi"]
    }

    private static var recipes: [String] {
        let recipes = ManPageText.recipes.map { recipe in
            let lines = recipe.lines.split(separator: "\n").map { escaped(String($0)) }
            return [escaped("\(recipe.title):"), ".PP", ".nf"] + lines + [".fi"]
        }
        return paragraphs(ManPageText.aboutRecipes) + [".PP"]
            + Array(recipes.joined(separator: [".PP"]))
    }

    private static var seeAlso: [String] {
        ManPageText.seeAlso.enumerated().map { index, page in
            let comma = index + 1 < ManPageText.seeAlso.count ? "," : ""
            return ".BR \(escaped(page.name)) (\(page.section))\(comma)"
        }
    }

    // MARK: Text

    private static func paragraphs(_ text: String) -> [String] {
        Array(Layout.split(intoParagraphs: text).map(wrapped).joined(separator: [".PP"]))
    }

    private static func definitions(_ rows: [(String, String)]) -> [String] {
        rows.flatMap { name, meaning in [".TP", bold(name)] + wrapped(meaning) }
    }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    private static func wrapped(_ text: String) -> [String] {
        Layout.wrapped(text, 79).split(separator: "\n").map { escaped(String($0)) }
    }

    /// A line of text, in which nothing is a macro or an escape.
    private static func escaped(_ line: String) -> String {
        let escaped = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        let isMacro = escaped.hasPrefix(".") || escaped.hasPrefix("'")
        return isMacro ? "\\&\(escaped)" : escaped
    }
}
