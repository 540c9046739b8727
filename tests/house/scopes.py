"""A small reader of C++ for the checks: which types and functions a file defines, in which namespace, on which lines.

It knows comments, literals, preprocessor lines and brackets, and tells what each brace at namespace or class scope
opens. It does not know names or macros: of `#if … #else … #endif` it reads the first branch (of `#if 0` the second),
and of function bodies only where they end.
"""

import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<blank>      [ \t\r\f\v]+ | \\\r?\n | //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<newline>    \n )
  | (?P<raw>        (?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)" )
  | (?P<literal>    (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+' )
  | (?P<number>     \.?\d(?:[eEpP][+-]|'\w|[\w.])* )
  | (?P<word>       [^\W\d]\w* )
  | (?P<sign>       :: | -> | && | \|\| | [<>=!]= | . )
""", re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)((?:\\\r?\n|/\*.*?\*/|[^\n])*)", re.DOTALL)

OPENING = {"(": ")", "[": "]", "{": "}"}
TYPE_KEYS = {"class", "struct", "union", "enum"}


@dataclasses.dataclass
class Token:
    text: str
    line: int


@dataclasses.dataclass
class Definition:
    kind: str       # "type", "alias" or "function"
    name: str       # of a type with its namespaces; of a function as it is written
    line: int       # of the first word of the declaration
    end: int        # of its closing brace or semicolon
    private: bool   # in an anonymous namespace
    nested: bool    # in a class


def tokens(text):
    """Words, numbers, signs and literals, without comments, preprocessor lines and branches that are not read."""
    found = []
    branches = []  # of each open #if: whether its present branch is read
    at, line, line_start = 0, 1, True
    while at < len(text):
        directive = DIRECTIVE.match(text, at) if line_start else None
        if directive:
            follow_branch(branches, directive[1], directive[2].strip())
            line += directive[0].count("\n")
            at = directive.end()
            continue
        match = TOKEN.match(text, at)
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind not in ("blank", "newline") and all(branches):
            found.append(Token('""' if kind in ("raw", "literal") else match[0], line))
        line += match[0].count("\n")
        line_start = kind == "newline" or (line_start and kind == "blank")
        at = match.end()
    return found


def follow_branch(branches, word, condition):
    if word in ("if", "ifdef", "ifndef"):
        branches.append(not (word == "if" and condition == "0"))
    elif word == "endif" and branches:
        branches.pop()
    elif word in ("else", "elif") and branches:
        # Only `#if 0` has not been read so far; what follows the branch that is read is not.
        branches[-1] = not branches[-1] and word == "else"


def closing(all_tokens, at):
    """The place of the bracket that closes the one at `at`; of the last token where it stays open."""
    depth = 0
    while at < len(all_tokens):
        text = all_tokens[at].text
        depth += (text in OPENING) - (text in OPENING.values())
        if depth == 0:
            return at
        at += 1
    return len(all_tokens) - 1


def after_angles(head, at):
    """The place behind the angle brackets that open at `at`."""
    depth = 0
    while at < len(head):
        text = head[at].text
        if text in OPENING:
            at = closing(head, at)
        depth += (text == "<") - (text == ">")
        at += 1
        if depth == 0:
            break
    return at


def without_prefix(head):
    """The head of a declaration without `template <…>`, attributes and alignas."""
    rest = []
    at = 0
    while at < len(head):
        text = head[at].text
        if text == "template" and at + 1 < len(head) and head[at + 1].text == "<":
            at = after_angles(head, at + 1)
        elif text == "[" and at + 1 < len(head) and head[at + 1].text == "[":
            at = closing(head, at) + 1
        elif text == "alignas":
            at = closing(head, at + 1) + 1
        else:
            rest.append(head[at])
            at += 1
    return rest


def outer(head):
    """The words of a head outside all round and square brackets, which are left as "()" and "[]"."""
    words = []
    at = 0
    while at < len(head):
        text = head[at].text
        if text == "operator" and at + 1 < len(head):  # operator=, operator(), operator[]: a name
            sign = at + 1
            while sign < len(head) and not (head[sign].text == "(" and sign > at + 1):
                sign += 1
            words.append("operator" + "".join(t.text for t in head[at + 1:sign]))
            at = sign
        elif text in ("(", "["):
            words.append(text + OPENING[text])
            at = closing(head, at) + 1
        elif text == "{":
            words.append("{}")
            at = closing(head, at) + 1
        else:
            words.append(text)
            at += 1
    return words


def type_name(head):
    """The name, maybe qualified, of the type that a brace behind this head defines; "" of one without a name or a
    specialisation; None where it defines no type."""
    words = outer(without_prefix(head))
    key = next((i for i, word in enumerate(words) if word in TYPE_KEYS), None)
    if key is None or "=" in words[:key] or "()" in words[:key] and "requires" not in words[:key]:
        return None
    at = key + 1
    if at < len(words) and words[at] in ("class", "struct"):  # enum class
        at += 1
    name = ""
    while at < len(words) and (words[at] == "::" or re.fullmatch(r"[^\W\d]\w*", words[at]) and words[at] != "final"):
        if name and not name.endswith("::") and words[at] != "::":
            if not name.isupper():
                return None  # two words: `struct stat read() {`
            name = ""  # a macro: `class PLUSH_API World {`
        name += words[at]
        at += 1
    if at < len(words) and words[at] == "<":
        return ""
    if at < len(words) and words[at] == "final":
        at += 1
    return name if at == len(words) or words[at] == ":" else None


def function_name(head):
    """The name of the function whose body a brace behind this head opens, or None."""
    words = outer(without_prefix(head))
    if "=" in words:  # a lambda with a name is a function, other initialisers are not
        equals = words.index("=")
        return words[equals - 1] if equals and words[equals + 1:equals + 2] == ["[]"] else None
    if "()" not in words:
        return None
    at = words.index("()")
    if words[0] == "requires" and "()" in words[at + 1:]:
        at = words.index("()", at + 1)
    start = at
    while start and (words[start - 1] in ("::", "~") or re.match(r"[^\W\d]|operator", words[start - 1]) and
                     (start == at or words[start] in ("::", "~"))):
        start -= 1
    return "".join(words[start:at])


def part_of_head(head):
    """Whether a brace behind this head opens a part of the declaration: an initialiser of a member, or a requires
    expression."""
    words = outer(without_prefix(head))
    if not words:
        return False
    at = len(words) - (2 if words[-1] == "()" else 1)
    if at >= 0 and words[at] == "requires" and (words[-1] != "()" or not at or
                                                words[at - 1] in ("requires", "=", "&&", "||")):
        return True
    if ":" in words and "()" in words[:words.index(":")]:  # the initialisers of a constructor
        return bool(re.fullmatch(r"[^\W\d]\w*|>", words[-1]))
    return False


class Reader:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.found = []

    def read(self):
        self.scope(0, (), False, False)
        return self.found

    def define(self, kind, name, start, end, private, nested):
        self.found.append(Definition(kind, name, self.tokens[start].line, self.tokens[end].line, private, nested))

    def scope(self, at, names, private, nested):
        """Reads declarations from `at` to the brace that closes the scope; returns its place."""
        start = at
        while at < len(self.tokens):
            text = self.tokens[at].text
            if text == "}":
                return at
            if text == ";":
                self.alias(start, at, names, private, nested)
                start = at + 1
            elif text == ":" and at - start == 1 and self.tokens[start].text in ("public", "protected", "private"):
                start = at + 1
            elif text in ("(", "["):
                at = closing(self.tokens, at)
            elif text == "{":
                at, start = self.brace(start, at, names, private, nested)
            at += 1
        return at

    def alias(self, start, end, names, private, nested):
        head = without_prefix(self.tokens[start:end])
        words = [token.text for token in head]
        if words[:1] == ["using"] and words[2:3] == ["="]:
            self.define("alias", "::".join(names + (words[1],)), start, end, private, nested)
        elif words[:1] == ["typedef"] and re.fullmatch(r"[^\W\d]\w*", words[-1]):
            self.define("alias", "::".join(names + (words[-1],)), start, end, private, nested)

    def brace(self, start, at, names, private, nested):
        """What the brace at `at` opens, with the head from `start`. Returns the place of its end, and where the next
        head starts."""
        head = self.tokens[start:at]
        words = [token.text for token in head]
        plain = [word for word in words if word != "inline"]
        if plain[:1] == ["namespace"]:
            inner = tuple(word for word in plain[1:] if word != "::" and re.fullmatch(r"\w+", word))
            end = self.scope(at + 1, names + inner, private or not inner, nested)
            return end, end + 1
        if words == ["extern", '""']:
            end = self.scope(at + 1, names, private, nested)
            return end, end + 1
        if part_of_head(head):
            return closing(self.tokens, at), start
        name = type_name(head)
        if name is not None:
            enum = "enum" in words
            end = closing(self.tokens, at) if enum else self.scope(at + 1, names + (name,), private, True)
            if name:
                self.define("type", "::".join(names + (name,)), start, min(end, len(self.tokens) - 1), private, nested)
            return end, end + 1
        name = function_name(head)
        end = closing(self.tokens, at)
        if name is None:
            return end, start
        self.define("function", name, start, end, private, nested)
        return end, end + 1


def definitions(text):
    """The types, aliases and functions that a file defines at namespace and class scope."""
    return Reader(text).read()
