"""Finds every place of the Swift sources that can be mutated, and says how.

A mutant does the original or the mutation as `mutant(NUMBER)` says, so that one build can have many
mutants.
"""

import dataclasses
import pathlib
import re

# The conditions of `#if` that are false on Linux with Glibc on x86-64, with the newest compiler.
# All others are true.
FALSE_CONDITION = re.compile(r"compiler\(<[\d.]+\)|canImport\((?:Darwin|Musl|Android)\)")


@dataclasses.dataclass
class Mutant:
    path: str
    operator: str
    start: int
    end: int
    # The code that replaces it in the copy; with a helper, an operator that stands for this one.
    switched: str
    line: int
    last_line: int
    before: str
    after: str
    helper: str = ""
    # Which one it is among the lines of the file that read the same.
    occurrence: int = 1

    @property
    def key(self):
        place = self.path if self.occurrence == 1 else f"{self.path} #{self.occurrence}"
        return (place, self.before, self.after)


class Source:
    """One file: its text, and its code.

    The code is the text with comments, strings and the code of other systems blanked.
    """

    def __init__(self, root, path):
        self.path = path
        self.text = (root / path).read_text()
        self.code = blank_other_systems(blank_comments_and_strings(self.text))

    def mutant(self, operator, start, end, text, switched, **rest):
        # The lines that contain the range.
        first = self.text.rfind("\n", 0, start) + 1
        last = (self.text + "\n").index("\n", end)
        before = squeezed(self.text[first:last])
        after = squeezed(self.text[first:start] + text + self.text[end:last])
        occurrence = self.text.count(self.text[first:last].strip(), 0, first) + 1
        line = self.text.count("\n", 0, start) + 1
        last_line = line + self.text.count("\n", start, end)
        return Mutant(
            self.path, operator, start, end, switched, line, last_line, before, after,
            occurrence=occurrence, **rest)


def squeezed(text):
    return " ".join(text.split())


def blank_comments_and_strings(text):
    """The text with spaces in place of comments and `_` in place of strings.

    Its length is the same.
    """
    result = ""
    while len(result) < len(text):
        position, filler = len(result), "_"
        if text.startswith("//", position):
            end, filler = (text + "\n").index("\n", position), " "
        elif text.startswith("/*", position):
            end, filler = text.index("*/", position) + 2, " "
        elif text.startswith('"""', position):
            end = text.index('"""', position + 3) + 3
        elif text[position] == '"':
            end = end_of_string(text, position)
        else:
            end, filler = position + 1, text[position]
        result += re.sub(r"[^\n]", lambda _: filler, text[position:end])
    return result


def end_of_string(text, start):
    position = start + 1
    while text[position] != '"':
        if text.startswith("\\(", position):
            position = end_of_brackets(text, position + 1)
        else:
            position += 2 if text[position] == "\\" else 1
    return position + 1


def end_of_brackets(code, start):
    """The position behind the bracket that closes the one at `start`."""
    depth = 0
    position = start
    while position < len(code):
        character = code[position]
        position = end_of_string(code, position) if character == '"' else position + 1
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return position
    raise ValueError("brackets that do not close")


def blank_other_systems(code):
    stack = []
    lines = []
    for line in code.split("\n"):
        words = line.strip()
        if re.match(r"#\s*if", words):
            condition = holds(words)
            stack.append([condition, condition])
        elif re.match(r"#\s*el", words) and stack:
            isElse = words.startswith("#else")
            stack[-1][0] = not stack[-1][1] and (isElse or holds(words))
            stack[-1][1] |= stack[-1][0]
        elif re.match(r"#\s*endif", words) and stack:
            stack.pop()
        isHere = all(here for here, _ in stack) and not words.startswith("#")
        lines.append(line if isHere else " " * len(line))
    return "\n".join(lines)


def holds(directive):
    """Whether the condition of an `#if` is true. It has one term, which may be negated."""
    negation, term = re.fullmatch(r"#\w+\s+(!?)([^&|]+)", directive).groups()
    return bool(negation) == bool(FALSE_CONDITION.fullmatch(term))


FLIPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "==": "!=", "!=": "==", "&&": "||", "||": "&&",
}
OPERATOR = re.compile(r"(?<=\s)(<=|>=|==|!=|<|>|&&|\|\|)(?=\s)")
NUMBER = re.compile(r"(?<![\w.$])(0x[0-9A-Fa-f_]+|[0-9][0-9_]*)(?![\w.])")
NAME = r"[A-Za-z_][\w]*"


def swift_mutants(source):
    code = source.code
    yield from literals(source)
    for match in re.finditer(OPERATOR, code):
        operator = "connective" if match[1] in ("&&", "||") else "comparison"
        line = code[code.rfind("\n", 0, match.start()) + 1:]
        # Of a function's name, or of its type's parameters.
        if operator == "comparison" and re.match(r"\s*(?:func|infix|package static func)", line):
            continue
        flipped = FLIPPED[match[1]]
        yield source.mutant(operator, match.start(), match.end(), flipped, "", helper=match[1])
    for match in re.finditer(r"(?<![\w.])(min|max)(?=\()", code):
        text = "max" if match[1] == "min" else "min"
        switched = f"mutant{match[1].title()}(@N@, "
        yield source.mutant("minimum", match.start(), match.end() + 1, text + "(", switched)
    for match in re.finditer(r" \? (\.?[\w.]+) : (-?\.?[\w.]+)(?![\w.(])", code):
        start, end = match.start(1), match.end(2)
        one = source.text[match.start(1):match.end(1)]
        other = source.text[match.start(2):match.end(2)]
        switched = f"(mutant(@N@) ? {other} : {one}) : (mutant(@N@) ? {one} : {other})"
        yield source.mutant("swap", start, end, f"{other} : {one}", switched)
    for match in re.finditer(r"\((\w+: )?(\w+), (\w+: )?(\w+)\)(?! (?:throws|in\b))", code):
        one, other = match[2], match[4]
        before = code[:match.start()]
        # The order of the arguments of `min` and `max` makes no difference.
        if re.search(r"(?<![\w.])(?:min|max)$", before):
            continue
        # `__` is a string that was blanked.
        if "__" in one + other or one[0].isupper():
            continue
        if re.search(r"func\s+\S+$|init$|case \S+$", before):
            continue
        first = match[1] or ""
        second = match[3] or ""
        text = f"({first}{other}, {second}{one})"
        switched = (
            f"({first}mutant(@N@) ? {other} : {one}, "
            f"{second}mutant(@N@) ? {one} : {other})")
        yield source.mutant("swap", match.start(), match.end(), text, switched)
    yield from swift_conditions(source)
    yield from swift_statements(source)
    yield from swift_returns(source)


def literals(source):
    code = source.code
    for match in re.finditer(NUMBER, code):
        before = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
        if re.match(r"\s*(?:case|@|#\s*(?:if|pragma))", before) and ":" not in before:
            continue
        if is_for_c(code, match.start()):
            continue
        value = int(match[1].replace("_", ""), 0)
        text = str(value + 1 if value < 2 or match.start() % 2 else value - 1)
        if match[1].startswith("0x"):
            text = f"0x{int(text):X}"
        switched = f"(mutant(@N@) ? {text} : {match[0]})"
        yield source.mutant("constant", match.start(), match.end(), text, switched)
    # Whether room is kept is a matter of speed.
    for match in re.finditer(r"(?<!keepingCapacity: )\b(true|false)\b", code):
        text = "false" if match[1] == "true" else "true"
        switched = "!mutant(@N@)" if match[1] == "true" else "mutant(@N@)"
        yield source.mutant("boolean", match.start(), match.end(), text, f"({switched})")


C_VARIABLE = re.compile(r"\bvar (\w+): (?:C[A-Z]\w*|U?Int\d+|s?size_t) = $")


def is_for_c(code, position):
    """Whether a number is the first value of a variable that C then writes to: nobody reads it."""
    declared = C_VARIABLE.search(code[code.rfind("\n", 0, position) + 1:position])
    used = declared and re.search(rf"(&?)\b{declared[1]}\b(?!:)", code[position:])
    return bool(used and used[1])


def split_clauses(code, start, end):
    """The clauses of a condition, at its commas."""
    depth = 0
    first = start
    for index in range(start, end):
        depth += (code[index] in "([{") - (code[index] in ")]}")
        if code[index] == "," and depth == 0:
            yield first, index
            first = index + 1
    yield first, end


def swift_conditions(source):
    code = source.code
    for match in re.finditer(r"^[ \t}]*(?:else )?(if|guard|while)\s+", code, re.M):
        start = match.end()
        end = end_of_condition(code, start, match[1])
        if end is None:
            continue
        for first, last in split_clauses(code, start, end):
            clause = code[first:last].strip()
            first = code.index(clause, first)
            last = first + len(clause)
            if re.match(r"(?:let|var|case|#)\b|(?:#available)", clause) or "{" in clause:
                continue
            original = source.text[first:last]
            switched = f"mutant(@N@) != ({original})"
            yield source.mutant("negation", first, last, f"!({original})", switched)
            if match[1] == "guard":
                switched = f"(mutant(@N@) || ({original}))"
                yield source.mutant("check", first, last, "true", switched)
            if match[1] == "if":
                switched = f"(!mutant(@N@) && ({original}))"
                yield source.mutant("check", first, last, "false", switched)


def end_of_condition(code, start, keyword):
    """Where a condition ends: at `else {` of a guard, otherwise at its brace."""
    depth = 0
    for index in range(start, min(len(code), start + 2000)):
        character = code[index]
        depth += (character in "([") - (character in ")]")
        if character == "{" and depth == 0 and code[index - 1] in " \n":
            if keyword != "guard":
                return index
            before = re.search(r"\s+else\s*$", code[start:index])
            if before:
                return start + before.start()
        elif character == "}" and depth == 0:
            return None


STATEMENT = re.compile(
    rf"^([ \t]+)((?:return try|return await|_ = )?(?:try[?]? |await )*"
    rf"\(?{NAME}(?:[.]{NAME}|[?!]|\[[^\]\n]*\])*(?:, [\w.]+\))?)"
    r"(?=\(|[ ]?(?:[-+*|&^]|<<|>>|&[-+])?= |[ ]\{|$)", re.M)
KEYWORDS = re.compile(
    r"(?:import|let|var|func|init|case|default|if|guard|while|for|switch|do|defer|else|struct|class"
    r"|enum|extension|return|package|public|private|internal|static|final|mutating|borrowing"
    r"|consuming|fileprivate|deinit|catch|where|throws|throw|protocol|typealias|associatedtype|get"
    r"|set|subscript|precondition|fatalError|preconditionFailure|discard|unsafe)\b")


def swift_statements(source):
    code = source.code
    for match in re.finditer(STATEMENT, code):
        start = match.start(2)
        words = match[2]
        if KEYWORDS.match(words) and not words.startswith("precondition") and words != "return":
            continue
        # A name alone is no statement.
        isAlone = re.fullmatch(NAME, words) and code[match.end():match.end() + 1] in ("", "\n")
        if isAlone and words not in ("break", "continue", "return"):
            continue
        before = code[:match.start()].rstrip()
        if before and not re.match(r"[{};:)\]\w\"?!>']", before[-1]):
            continue
        if before.endswith((":", "return", "else", "try", " in ", "??")) and not re.search(
                r"(?:case [^\n]*|default):$", before):
            continue
        if not is_in_function(code, match.start()):
            continue
        end = end_of_statement(code, start)
        if end is None or is_value(code, match.start(), end):
            continue
        # An initialiser that does not set everything does not compile.
        is_initial = re.match(r"(?:self\.)?\w+ = |self\.init\(", code[start:end])
        if is_initial and is_in_initializer(code, match.start()):
            continue
        original = source.text[start:end]
        # If the switch does not compile, nor does the deletion: a value is missing. Long ones are
        # noticed anyway.
        if original.count("\n") < 6:
            yield source.mutant("deletion", start, end, "", f"if !mutant(@N@) {{ {original} }}")
    for match in re.finditer(r"(\bdefer|\bcatch|\bdeinit|\belse|) \{ ([^{}\n]+) \}", code):
        # A guard has to leave. The bodies of an `if` are statements, as above, unless they are in
        # its line.
        if match[1] == "else" and re.match(r"throw|return|continue|break", match[2]):
            continue
        if match[1] == "" and not re.match(r"throw |return$", match[2]):
            continue
        start, end = match.span(2)
        switched = f"if !mutant(@N@) {{ {source.text[start:end]} }}"
        yield source.mutant("deletion", start, end, "", switched)


def is_in_initializer(code, position):
    head = r"^[ \t]+(?:[a-z]+ )*(func|init|var|deinit|subscript)\b"
    heads = list(re.finditer(head, code[:position], re.M))
    return bool(heads) and heads[-1][1] == "init"


def is_value(code, start, end):
    """Whether a statement is the value of its braces.

    It is the last in its braces, and their declaration says that they return a value.
    """
    opening = innermost_brace(code, start)
    if opening is None or not code[end:].lstrip().startswith("}"):
        return False
    head = re.split(r"\n\s*\n|[;{}]\s*\n", code[max(0, opening - 600):opening])[-1]
    return bool(re.search(r"->\s*(?!Void|\(\))|\bvar \w+: |\bget\b|= \w*\s*$|\breturn\b", head))


def innermost_brace(code, position):
    depth = 0
    for index in range(position - 1, -1, -1):
        depth += (code[index] == "}") - (code[index] == "{")
        if depth < 0:
            return index


def is_in_function(code, position):
    """Whether the innermost braces are not those of a type."""
    opening = innermost_brace(code, position)
    if opening is None:
        return False
    line = re.split(r"[{};\n]\s*\n|\n\s*\n", code[max(0, opening - 500):opening])[-1]
    return not re.search(r"(?:^|\s)(?:struct|class|enum|extension|protocol)\s+[A-Z]", line)


# What stands at the end of a line that is continued, and at the start of a line that continues
# another.
BEFORE_BREAK = ("=", "+", "-", "&", "|", ",", "(", "?", ":")
BEHIND_BREAK = (
    ".", "?", ":", "+", "-", "&", "|", "=", "<", ">", "*", "where", "else", "catch",
)


def end_of_statement(code, start):
    """Where a statement ends.

    That is at the end of the line that closes its brackets, or of the last that continues it.
    """
    position = start
    while position < len(code):
        character = code[position]
        if character in "([{":
            position = end_of_brackets(code, position)
            continue
        if character in ")]}":
            return position if code[start:position].strip() else None
        if character == "\n":
            following = code[position:].lstrip()
            statement = code[start:position].rstrip()
            continued = statement.endswith(BEFORE_BREAK) or following.startswith(BEHIND_BREAK)
            if not continued:
                return start + len(statement)
        position += 1


RETURNED = {
    "": "return", "Void": "return", "Bool": "return true", "Int": "return 0", "Int32": "return 0",
    "String": 'return ""',
}


def swift_returns(source):
    code = source.code
    for match in re.finditer(rf"\bfunc {NAME}", code):
        index = code.find("(", match.end())
        if index < 0 or "{" in code[match.end():index]:
            continue
        index = end_of_brackets(code, index)
        brace = code.find("{", index)
        signature = code[index:brace] if brace >= 0 else "\n\n"
        if "\n\n" in signature or "}" in signature or "func " in signature:
            continue
        kind = re.sub(r"\bwhere\b.*", "", signature, flags=re.S)
        kind = re.sub(r"\b(async|rethrows|throws(\([^)]*\))?)", "", kind).replace("->", "").strip()
        value = RETURNED.get(kind)
        if kind.endswith("?"):
            value = "return nil"
        if value is None:
            continue
        at = brace + 1 + len(re.match(r"\s*", code[brace + 1:])[0])
        body = source.text[at:end_of_brackets(code, brace) - 1].strip()
        # A body of one expression needs `return` once a statement precedes it.
        if "\n" not in body and value != "return" and not body.startswith("return"):
            switched = f"if mutant(@N@) {{ {value} }}; return {body}"
            yield source.mutant("return", at, at + len(body), value, switched)
        else:
            switched = f"if mutant(@N@) {{ {value} }}; "
            yield source.mutant("return", at, at, value + "; ", switched)


def all_mutants(root):
    paths = (root / "Sources").rglob("*.swift")
    for path in sorted(path.relative_to(root).as_posix() for path in paths):
        mutants = swift_mutants(Source(root, path))
        for mutant in sorted(mutants, key=lambda m: (m.start, m.end, m.operator)):
            if mutant.before == mutant.after:
                continue
            # How much room is reserved is a matter of speed.
            if re.match(r"[\w.]+\.reserveCapacity\(", mutant.before):
                continue
            yield mutant
