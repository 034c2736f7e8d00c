"""AMD's pseudo-code of an instruction as C.

The pseudo-code is that of AMD's ISA documents, as text in the PyPI package tinygrad (tinygrad.runtime.autogen.amd: a
table for CDNA, RDNA 3 and RDNA 4 each). Translated is what a lane or a scalar operation computes: assignments, if and
for, slices, casts (64'U(x)), concatenation ({a, b}) and the functions of FUNCTIONS; the rest (control, memory, matrix
products, exchange between lanes) is C in this folder. What cannot be translated raises an error: nothing is guessed.
"""

import re

TOKEN = re.compile(r"""\s*(?:(?P<cast>\d+'[UIFB](?=\())|(?P<sized>\d+'-?(?:0x[0-9a-fA-F]+|\d+)[UI]?)
    |(?P<number>0x[0-9a-fA-F]+(?:ULL|LL|U)?|\d+\.\d+(?:e-?\d+)?F?|\d+(?:ULL|LL|U|F)?)|(?P<name>[A-Za-z_]\w*)
    |(?P<type>\.[a-z]+\d+)|(?P<op>\*\*|<<|>>|<=|>=|==|!=|<>|&&|\|\||[-+*/%&|^~!<>?:=(){}\[\],;]))""", re.X)

# Binary operators by precedence, as in C.
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!=", "<>"], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"],
          ["*", "/", "%"], ["**"]]

# Functions: C with {0}, {1} ... for the arguments, the result's type ("": the first argument's).
FUNCTIONS = {
    "fma": (None, ""), "abs": ("fabs({0})", ""), "sqrt": ("sqrt({0})", ""), "floor": ("floor({0})", ""),
    "trunc": ("trunc({0})", ""), "log2": ("log2({0})", ""), "pow": ("pow({0}, {1})", ""),
    "isNAN": ("isnan({0})", "u1"), "isEven": ("(fmod({0}, 2) == 0)", "u1"), "fract": ("({0} - floor({0}))", ""),
    "u32_to_f32": ("(f32)(u32){0}", "f32"), "i32_to_f32": ("(f32)(i32){0}", "f32"),
    "u16_to_f16": ("(f16)(u16){0}", "f16"), "i16_to_f16": ("(f16)(i16){0}", "f16"),
    "f32_to_u32": ("clamped_u32({0})", "u32"), "f32_to_i32": ("clamped_i32({0})", "i32"),
    "f32_to_f16_toward_zero": ("truncated_f16({0})", "f16"), "f32_to_f16": ("(f16)({0})", "f16"),
    "f16_to_f32": ("(f32)({0})", "f32"), "f32_to_f64": ("(f64)({0})", "f64"),
    "f64_to_f32": ("(f32)({0})", "f32"), "u32_to_f64": ("(f64)(u32){0}", "f64"), "i32_to_f64": ("(f64)(i32){0}", "f64"),
    "f32_to_bf16": ("(bf16){{f32_to_bf16({0})}}", "bf16"), "bf16_to_f32": ("bf16_to_f32(({0}).bits)", "f32"),
    "signext": ("(i64)({0})", "i64"), "signext_from_bit": ("sign_extended_from({0}, {1})", "i64"),
    "v_min_f32": ("minimum({0}, {1})", "f32"), "v_max_f32": ("maximum({0}, {1})", "f32"),
    "v_min3_f32": ("minimum(minimum({0}, {1}), {2})", "f32"), "v_max3_f32": ("maximum(maximum({0}, {1}), {2})", "f32"),
    "v_min_num_f32": ("minimum({0}, {1})", "f32"), "v_max_num_f32": ("maximum({0}, {1})", "f32"),
    "f16_to_snorm": None,
    **{f"v_{name}_{kind}": (f"(({kind})({{0}}) {sign} ({kind})({{1}}) ? ({kind})({{0}}) : ({kind})({{1}}))", kind)
       for name, sign in (("max", ">"), ("min", "<")) for kind in ("i32", "u32", "i16", "u16")},
}
OPERANDS = re.compile(r"(S[0-3]|D0|D1|SIMM32|SIMM16|VCC|EXEC|SCC|EXEC_LO|VCCZ|EXECZ)$")


class Untranslated(Exception):
    """Pseudo-code that this translator does not know."""


def bits_of(kind):
    return int(kind.lstrip("uifb"))


def is_float(kind):
    return kind[0] == "f" or kind.startswith("bf")


def c_type(kind):
    if kind.startswith("bf") or kind[0] == "f":
        return kind
    sign, bits = "i" if kind[0] == "i" else "u", bits_of(kind)
    return sign + str(next(n for n in (8, 16, 32, 64) if bits <= n)) if bits <= 64 else "u64"


class Translator:
    """The body of one operation. By operand (S0, D0, VCC ...): `uses` has how many bits of it are used, `types` its
    first type; `writes` those that are set, `masks` those with a bit a lane."""

    def __init__(self, text):
        text = re.sub(r"//[^\n]*", "", text)
        declared = re.findall(r"declare (\w+) : (\d+)'([A-Z]);", text)
        text = re.sub(r"declare \w+ : \d+'[A-Z];", "", text)
        # A statement ends at a semicolon or, around keywords, at the end of a line.
        self.tokens = []
        at = 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                if not text[at:].strip():
                    break
                raise Untranslated(f"the text {text[at:at + 20]!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at, self.uses, self.types, self.writes, self.masks = 0, {}, {}, set(), set()
        self.locals = {name: {"B": "u"}.get(letter, letter.lower()) + bits for name, bits, letter in declared}
        self.body = self.statements(())

    # Tokens

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][1] if self.at + ahead < len(self.tokens) else None

    def take(self, expected=None):
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else (None, None)
        if expected is not None and text != expected:
            raise Untranslated(f"{text!r} instead of {expected!r}")
        self.at += 1
        return kind, text

    def accept(self, text):
        if self.peek() == text:
            self.at += 1
            return True
        return False

    # Statements

    def statements(self, ends):
        lines = []
        while self.peek() is not None and self.peek() not in ends:
            if self.accept(";"):
                continue
            lines.append(self.statement())
        return "\n".join(lines)

    def statement(self):
        word = self.peek()
        if word == "if":
            return self.if_statement()
        if word == "for":
            return self.for_statement()
        if word == "break":
            self.take()
            return "break;"
        return self.assignment()

    def if_statement(self):
        self.take("if")
        text = f"if ({self.value(self.expression())}) {{\n"
        self.take("then")
        text += self.statements(("else", "elsif", "endif")) + "\n}"
        while self.accept("elsif"):
            text += f" else if ({self.value(self.expression())}) {{\n"
            self.take("then")
            text += self.statements(("else", "elsif", "endif")) + "\n}"
        if self.accept("else"):
            text += " else {\n" + self.statements(("endif",)) + "\n}"
        self.take("endif")
        return text

    def for_statement(self):
        self.take("for")
        name = self.take()[1]
        self.take("in")
        first = self.value(self.expression())
        self.take(":")
        last = self.value(self.expression())
        self.take("do")
        self.locals[name] = "loop"
        body = self.statements(("endfor",))
        self.take("endfor")
        return f"for (i32 {name} = {first}; {name} <= (i32)({last}); ++{name}) {{\n{body}\n}}"

    def assignment(self):
        targets, values = [self.target()], None
        while True:
            operator = self.take()[1]
            if operator in ("+", "-", "|", "&", "^", "*") and self.accept("="):
                pass
            elif operator != "=":
                raise Untranslated(f"{operator!r} after a name")
            else:
                operator = ""
            mark = self.at
            value = self.expression()
            if self.peek() == "=" and not operator:  # a = b = value
                self.at = mark
                targets.append(self.target())
                continue
            values = value
            break
        return " ".join(self.store(target, operator, values) for target in reversed(targets))

    def target(self):
        """(name, type or None, (high, low) as C, or None)."""
        if self.peek() == "{":
            raise Untranslated("several results at once")
        _, name = self.take()
        kind, part = None, None
        while True:
            if self.peek() is not None and self.tokens[self.at][0] == "type":
                kind = self.take()[1][1:]
            elif self.peek() == "[":
                part = self.slice()
            else:
                return name, kind, part

    def slice(self):
        self.take("[")
        high = self.value(self.expression())
        low = self.value(self.expression()) if self.accept(":") else high
        self.take("]")
        return high, low

    def store(self, target, operator, value):
        name, kind, part = target
        if not OPERANDS.match(name) and name not in self.locals and part is None:
            self.locals[name] = kind or value[1]
            if kind is None and value[1] == "u1":
                self.locals[name] = "u32"
        if OPERANDS.match(name):
            self.note(name, kind or "u32", part)
            self.writes.add(name)
        elif self.locals.get(name) is None:
            raise Untranslated(f"{name} is not set before part of it is")
        stored = kind or (value[1] if part is None and OPERANDS.match(name) else self.locals.get(name, value[1]))
        if operator:
            value = self.binary(operator, self.read(name, kind, part), value)
        if part is not None:
            mask = self.mask(part)
            bits = self.to_bits(self.convert(value, kind) if kind and is_float(kind) else value)
            return f"{name} = ({name} & ~({mask} << ({part[1]}))) | (({bits} & {mask}) << ({part[1]}));"
        return f"{name} = {self.to_bits(self.convert(value, stored))};"

    @staticmethod
    def mask(part):
        """Ones, as many as a slice has bits."""
        return "1ull" if part[0] == part[1] else f"(~0ull >> (63 - (({part[0]}) - ({part[1]}))))"

    def note(self, name, kind, part):
        top = bits_of(kind) if kind else 32
        if part is not None and "lane" in part[0]:
            self.masks.add(name)
        elif part is not None:
            try:
                top = eval(part[0].rstrip("ul"), {"__builtins__": {}}) + 1
            except Exception:
                top = bits_of(kind) if kind else 32
        self.uses[name] = max(self.uses.get(name, 0), top)
        if kind and (part is None or name not in self.types):
            self.types.setdefault(name, kind)

    # Values are (C text, type)

    def value(self, expression):
        return expression[0]

    def to_bits(self, value):
        text, kind = value
        if kind == "f32":
            return f"(u64)of_f32({text})"
        if kind == "f64":
            return f"of_f64({text})"
        if kind == "f16":
            return f"(u64)of_f16({text})"
        if kind == "bf16":
            return f"(u64)({text}).bits"
        bits = bits_of(kind)
        inner = f"(u64)({text})"
        return inner if bits >= 64 else f"({inner} & {hex((1 << bits) - 1)}ull)"

    def convert(self, value, kind):
        text, old = value
        if kind is None or old == kind or kind == "loop":
            return value
        if kind[0] == "b" and not kind.startswith("bf"):  # bits as they are
            return f"({self.to_bits(value)})", "u" + kind[1:]
        if is_float(kind) != is_float(old):
            if is_float(kind) and old[0] == "u" and bits_of(old) >= bits_of(kind) and not re.fullmatch(r"\d+u?", text):
                return self.from_bits(text, kind)  # bits, as of a conditional
            if kind == "bf16":
                raise Untranslated("an integer as bf16")
        if kind == "bf16":
            return f"(bf16){{f32_to_bf16({text})}}", "bf16"
        if old == "bf16":
            return self.convert((f"bf16_to_f32(({text}).bits)", "f32"), kind)
        return f"({c_type(kind)})({text})", kind

    def from_bits(self, text, kind):
        if kind == "bf16":
            return f"((bf16){{(u16)({text})}})", kind
        if is_float(kind):
            return f"as_{kind}(({'u' + kind[1:]})({text}))", kind
        sign, bits = kind[0], bits_of(kind)
        sign = "u" if sign == "b" else sign
        if bits in (8, 16, 32, 64):
            return f"(({sign}{bits})({text}))", f"{sign}{bits}"
        if sign == "i":
            return f"sign_extended({text}, {bits - 1})", f"i{64 if bits > 32 else 32}"
        return f"(({text}) & {hex((1 << bits) - 1)}ull)", f"u{64 if bits > 32 else 32}"

    def read(self, name, kind, part):
        if name == "laneId":
            return "(u32)lane", "u32"
        if name in self.locals and self.locals[name] == "loop":
            return name, "i32"
        if not OPERANDS.match(name) and name not in self.locals:
            raise Untranslated(f"the name {name}")
        own = self.locals.get(name, "u1" if name == "SCC" else "u32")
        if OPERANDS.match(name):
            self.note(name, kind, part)
        if part is not None and part[0].isdigit() and part[1].isdigit() and int(part[0]) < int(part[1]):
            self.note(name, None, (part[1], part[0]))  # the last bit first
            bits = int(part[1]) - int(part[0]) + 1
            return f"reversed_bits({name} >> {part[0]}, {bits})", "u32" if bits <= 32 else "u64"
        if part is not None:
            text = f"({name} >> ({part[1]}) & {self.mask(part)})"
            try:
                bits = eval(f"{part[0]} - ({part[1]}) + 1".replace("u", ""), {"__builtins__": {}})
            except Exception:
                bits = 1 if part[0] == part[1] else 64
            if kind and bits_of(kind) <= bits:
                return self.from_bits(text, kind)
            return text, f"u{bits}" if bits in (8, 16, 32, 64, 1) else "u32" if bits <= 32 else "u64"
        return self.from_bits(name, kind or own)

    def expression(self):
        condition = self.level(0)
        if not self.accept("?"):
            return condition
        first = self.expression()
        self.take(":")
        second = self.expression()
        kind = first[1] if first[1] == second[1] else self.common(first[1], second[1])
        return f"(({condition[0]}) ? {self.convert(first, kind)[0]} : {self.convert(second, kind)[0]})", kind

    def common(self, a, b):
        if is_float(a) or is_float(b):
            both = [k for k in (a, b) if is_float(k)]
            return max(both, key=bits_of)
        bits = max(bits_of(a), bits_of(b))
        bits = next(n for n in (32, 64) if bits <= n)
        return ("i" if a[0] == b[0] == "i" else "u") + str(bits)

    def level(self, n):
        if n == len(LEVELS):
            return self.unary()
        left = self.level(n + 1)
        while self.peek() in LEVELS[n] and not (self.peek(1) == "=" and self.peek() in "+-|&^*"):
            operator = self.take()[1]
            left = self.binary(operator, left, self.level(n + 1))
        return left

    def binary(self, operator, left, right):
        (a, x), (b, y) = left, right
        operator = "!=" if operator == "<>" else operator
        if operator == "**":
            return f"pow({a}, {b})", x
        if operator in ("<<", ">>"):
            bits = max(32, bits_of(x))
            kind = x if bits_of(x) >= 32 else ("i32" if x[0] == "i" else "u32")
            return f"shifted_{'left' if operator == '<<' else 'right'}_{c_type(kind)}({a}, {b})", c_type(kind)
        if operator in ("==", "!=", "<", "<=", ">", ">=", "&&", "||"):
            if operator not in ("&&", "||"):
                if "bf16" in (x, y):
                    left, right = (self.convert(v, "f32") for v in (left, right))
                elif not is_float(x) and not is_float(y) and x[0] != y[0] and min(bits_of(x), bits_of(y)) > 1:
                    kind = self.common(x, y)
                    left, right = self.convert(left, kind), self.convert(right, kind)
            return f"({left[0]} {operator} {right[0]})", "u1"
        if "bf16" in (x, y):
            value = f"({self.convert(left, 'f32')[0]} {operator} {self.convert(right, 'f32')[0]})"
            return value, "f32"
        kind = self.common(x, y)
        if not is_float(kind) and bits_of(kind) == 32 and max(bits_of(x), bits_of(y)) == 16 and operator != "-":
            kind = kind[0] + "32"
        return f"({self.convert(left, kind)[0]} {operator} {self.convert(right, kind)[0]})", kind

    def unary(self):
        word = self.peek()
        if word in ("-", "~", "!", "+"):
            self.take()
            text, kind = self.unary()
            if word == "+":
                return text, kind
            if word == "!":
                return f"!({text})", "u1"
            if kind == "u1" and word == "~":
                return f"!({text})", "u1"
            return f"({word}{text})", kind
        return self.postfix()

    def postfix(self):
        group, text = self.take()
        if group == "cast":
            kind = text.split("'")[1].lower()
            kind = {"b": "u"}.get(kind, kind) + text.split("'")[0]
            self.take("(")
            inner = self.expression()
            self.take(")")
            if bits_of(kind) > 64:
                raise Untranslated(text)
            if kind[0] == "f" and not is_float(inner[1]) and "0x" in inner[0]:
                return self.from_bits(inner[0], kind)
            return self.convert(inner, kind)
        if group == "sized":
            bits, number = text.split("'")
            is_signed = number.endswith("I") or not number.endswith("U")
            number = number.rstrip("UI")
            return number if is_signed else number + "u", ("i" if is_signed and bits != "1" else "u") + bits
        if group == "number":
            return self.number(text)
        if text == "(":
            inner = self.expression()
            self.take(")")
            return f"({inner[0]})", inner[1]
        if text == "{":
            parts = [self.expression()]
            while self.accept(","):
                parts.append(self.expression())
            self.take("}")
            result, bits = "", 0
            for part in reversed(parts):
                result = f"{result + ' | ' if result else ''}({self.to_bits(part)} << {bits})"
                bits += bits_of(part[1])
            if bits > 64:
                raise Untranslated("more than 64 bits")
            return f"({result})", "u64" if bits > 32 else "u32"
        if group != "name":
            raise Untranslated(f"{text!r} in an expression")
        if self.peek() == "(":
            return self.call(text)
        if text == "INF":
            return "INFINITY", self.take()[1][1:] if self.tokens[self.at][0] == "type" else "f64"
        if text == "PI":
            return "3.14159265358979323846", "f64"
        kind, part = None, None
        while self.peek() is not None:
            if self.tokens[self.at][0] == "type":
                kind = self.take()[1][1:]
            elif self.peek() == "[" and part is None:
                part = self.slice()
            else:
                break
        return self.read(text, kind, part)

    def number(self, text):
        if "." in text:
            return (text.lower(), "f32") if text.endswith("F") else (text, "f64")
        if text.endswith("F") and not text.startswith("0x"):
            return text[:-1] + ".0f", "f32"
        for suffix, kind in (("ULL", "u64"), ("LL", "i64"), ("U", "u32")):
            if text.endswith(suffix):
                digits = text[:-len(suffix)]
                return digits + {"u64": "ull", "i64": "ll", "u32": "u"}[kind], kind
        return text, "i32"

    def call(self, name):
        self.take("(")
        arguments = [] if self.peek() == ")" else [self.expression()]
        while self.accept(","):
            arguments.append(self.expression())
        self.take(")")
        if FUNCTIONS.get(name) is None:
            raise Untranslated(f"the function {name}")
        text, kind = FUNCTIONS[name]
        kind = kind or arguments[0][1]
        if name == "fma":
            # One rounding: the products of f16 and bf16 are exact in f64.
            text = {"f32": "fmaf({0}, {1}, {2})", "f64": "fma({0}, {1}, {2})",
                    "f16": "(f16)fma((f64){0}, (f64){1}, (f64){2})"}[kind]
        if name == "abs" and not is_float(kind):
            raise Untranslated("abs of an integer")
        result = text.format(*(a[0] for a in arguments)), kind
        return self.convert((result[0], "f64"), kind) if kind == "f32" and name in (
            "abs", "sqrt", "floor", "trunc", "log2", "pow", "fract") else result
