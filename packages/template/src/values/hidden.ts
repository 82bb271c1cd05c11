/**
 * Whether a Python type has this attribute, whose name begins with an underscore. The sandbox hides all of them; a
 * template that uses one gets a SecurityError, where one that nobody has is only undefined.
 */
export function isHidden(type: string, name: string): boolean {
  return EVERY.has(name) || (OF_TYPE[type] ?? NONE).has(name.slice(2, -2))
}

const NONE: ReadonlySet<string> = new Set()

const EVERY: ReadonlySet<string> = new Set(
  (
    'class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex ' +
    'repr setattr sizeof str subclasshook'
  )
    .split(' ')
    .map((name) => `__${name}__`),
)

const CONTAINER = 'len iter contains getitem'
const NUMBER =
  'abs add bool divmod float floordiv int mod mul neg pos pow radd rdivmod rfloordiv rmod rmul round rpow rsub rtruediv ' +
  'sub truediv trunc ceil floor'
const FUNCTION = 'annotations builtins call closure code defaults dict get globals kwdefaults module name qualname'
const JINJA = 'dict module weakref'

const OF_TYPE: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    str: `${CONTAINER} add mod mul rmod rmul getnewargs`,
    Markup: `${CONTAINER} add mod mul radd rmod rmul getnewargs html html_format ${JINJA}`,
    list: `${CONTAINER} add mul rmul iadd imul setitem delitem reversed class_getitem`,
    tuple: `${CONTAINER} add mul rmul getnewargs class_getitem`,
    dict: `${CONTAINER} setitem delitem reversed or ror ior class_getitem`,
    int: `${NUMBER} and or xor invert index lshift rshift rand ror rxor rlshift rrshift getnewargs`,
    bool: `${NUMBER} and or xor invert index lshift rshift rand ror rxor rlshift rrshift getnewargs`,
    float: `${NUMBER} getformat getnewargs`,
    NoneType: 'bool',
    range: `${CONTAINER} bool reversed`,
    function: FUNCTION,
    builtin_function_or_method: 'call module name qualname self text_signature',
    Undefined: `${JINJA} len iter bool add call getitem getattr int float slots`,
    Macro: `${JINJA} call`,
    LoopContext: `${JINJA} call iter len next`,
    generator: 'iter next del name qualname',
    Cycler: `${JINJA} next`,
    Joiner: `${JINJA} call`,
  }).map(([type, names]) => [type, new Set(names.split(' '))]),
)
