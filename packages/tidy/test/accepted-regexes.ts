const BY_COUNT = 'each repetition is bounded (80 at most), so a start costs a fixed number of steps'
const OWN_TEXT = 'a text that callspec wrote itself'
const SEARCH_TEXT = 'a text of a search: its generators write 64 kB at most'
const COMMAND_LINE = 'a word of the command line or of the configuration of the user'
const NAME_OF_MODEL = 'the name of a model, cut to 500 characters (400 in transport-causes.ts)'

/** Regular expressions that can take more than linear time, as they are written, and what bounds the text they read. */
export const ACCEPTED_REGEXES: ReadonlyMap<string, string> = new Map([
  // cli
  [String.raw`/\s*\n\s*/g`, OWN_TEXT],
  [String.raw`/\$\{([^}]*)\}/g`, COMMAND_LINE],
  [String.raw`/\/+$/`, COMMAND_LINE],
  [String.raw`/T[^Z+-]*$/`, COMMAND_LINE],
  [String.raw`/^.*?[.](?= |$)/`, OWN_TEXT],
  [
    String.raw`/^(?:\p{Emoji}\uFE0F|[\d#*]\u20E3|\p{RI}{2}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{ExtPict}\p{M}*\u200D\p{ExtPict})/u`,
    'one grapheme; recheck does not know these properties of Unicode',
  ],
  // report
  [String.raw`/(<pre[ >][^]*?<\/pre>)/`, 'a page that callspec wrote itself'],
  [String.raw`/^ +| +$/g`, 'a line of a case that the repository has'],
  // conformance
  [
    String.raw`/"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g`,
    'well-formed JSON: every string is closed',
  ],
  [String.raw`/@[^#]*$/`, 'the id of a case of the user'],
  [String.raw`/\?.*$/`, 'a request line, which Node cuts at 16 kB'],
  [String.raw`/^[.-]+|[.-]+$/g`, 'a name, cut to 1,000 characters'],
  [
    String.raw`/"name"\s*:\s*"([^"\\]+)"|(?:✿FUNCTION✿:|\nAction:|<function=)\s*([\w-]+)/g`,
    'the text of a case, which the user chose to run',
  ],
  // core
  [String.raw`/[<[][^>\]]*$/`, OWN_TEXT],
  [String.raw`/^[^<[\u0000]*[>\]](?=[<[])/`, OWN_TEXT],
  [String.raw`/(?:\s|<\|constrain\|>)(?!(?:<\|constrain\|>\s*)?json\s*<)(?!to=)\S+\s*<\|message\|>/`, SEARCH_TEXT],
  [String.raw`/(?:^|<\/think>)(?:(?!<tool_call>)[^])*<\/tool_call>/`, SEARCH_TEXT],
  [String.raw`/^(?:(?!✿FUNCTION✿:)[^])*✿ARGS✿:/`, SEARCH_TEXT],
  [String.raw`/\nAction Input:[^]*\nAction:/`, SEARCH_TEXT],
  [String.raw`/<tool_call>\s{0,4}[^\s<>{}[\]]{1,80}\s{0,4}<(?:arg_key|\/tool_call)>/`, BY_COUNT],
  [String.raw`/\[TOOL_CALLS\][^[\]{}\n]{1,80}(?:\[ARGS\]|\{)/`, BY_COUNT],
  [String.raw`/\[TOOL_CALLS\][^[\]{}\n]{1,80}\[CALL_ID\][^[\]{}\n]{1,40}\[ARGS\]/`, BY_COUNT],
  [String.raw`/(?:<tool_call>\s{0,8})?<function=[^>\s]{1,80}>\s{0,8}<(?:parameter=|\/function)/`, BY_COUNT],
  [
    String.raw`/<\|channel\|>(?:commentary|analysis) to=[\w.-]{1,80}|\bto=functions\.[\w.-]{1,80} ?(?:<\||(?:json|code)?[ \t\r\n]{0,2}\{)/`,
    BY_COUNT,
  ],
  [String.raw`/magistral-.*(?:2506|2507)/`, NAME_OF_MODEL],
  [String.raw`/magistral-.*2509|devstral-.*2507|devstral-(?:small-|medium-)?2(?:-|$)/`, NAME_OF_MODEL],
  [String.raw`/mistral-small-(?:3\.[12]|.*250[36])/`, NAME_OF_MODEL],
  // eval
  [
    String.raw`/(?:<\/?t?o?o?l?_?c?a?l?l?>?|✿F?U?N?C?T?I?O?N?|(?:^|\n)Action(?: Input)?:?[^\n]{0,80})\s*$/`,
    'the last 120 characters of a reply',
  ],
  [String.raw`/[\\/]+$/`, NAME_OF_MODEL],
  [
    String.raw`/<\|[a-z_]{2,20}\|>|<｜[^｜\n]{2,30}｜>|<\/?tool_(?:call|response)>|✿(?:RESULT|RETURN)✿|<\/assistant>|\[\/INST\]|Observation:/`,
    BY_COUNT,
  ],
  [
    String.raw`/(?:0[xX][\da-fA-F_]+[lL]?|0[bB][01_]+[lL]?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[lLfFdD]?)/y`,
    'sticky, and it matches at once: an alternative is never tried again over the same digits',
  ],
  [
    String.raw`/(?:0[xX][\da-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?n?)/y`,
    'sticky, and it matches at once: an alternative is never tried again over the same digits',
  ],
  [String.raw`/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"']{1,500}@/gi`, 'each repetition is bounded (500 at most)'],
  [String.raw`/[ \t]*[*_]*[:：]$/`, 'a keyword as it was found: it ends in a colon, so the first try matches'],
  [String.raw`/^[*_]+|[*_]+$/g`, 'a keyword as it was found: two stars at most on either side'],
  [String.raw`/[ \t]*[:：]$/`, 'a marker as it was found: its blanks are counted (four at most)'],
  [String.raw`/[>\]|｜]+$/u`, 'a marker of a format'],
  [String.raw`/<｜tool▁sep｜>[^\n<]{0,80}\n?$|(?:^|\n)Action:\s{0,4}$/`, BY_COUNT],
  [
    String.raw`/\\boxed\s?\{|\bfinal (?:answer|result)\b|\banswer(?:\sto\s[^.\n]{1,80}?)?\s?(?:is|was|[=:])|#### |(?:最终)?答案|最终结果/g`,
    BY_COUNT,
  ],
  [String.raw`/(?:^|\n)[\s>` + '`*[]*$/', '16 characters'],
  [String.raw`/^["'` + '`*]{0,3}' + String.raw`\s*:?\s*\{\s*["']/`, '64 characters'],
  [
    String.raw`/\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([a-z]+)|(\*\*|[-+*/%^()]))/y`,
    'sticky, and the first failure ends the reading',
  ],
  // fuzz
  [String.raw`/[[{]|[\p{L}_][\p{L}\p{N}_.]*\s*\(/gu`, SEARCH_TEXT],
  [
    String.raw`/"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|[[({]|[\])}]/g`,
    SEARCH_TEXT,
  ],
  [String.raw`/"(?:\\.|[^"\\])*"|[[{,]|[\]}]/g`, OWN_TEXT],
  [String.raw`/"(?:\\.|[^"\\])*"|\s+/g`, OWN_TEXT],
  [String.raw`/\S+(?=\s*$)/`, OWN_TEXT],
  // playground, release, sim
  [String.raw`/=+$/`, 'base64 of the page itself: it ends in two of them at most'],
  [String.raw`/.*\//`, OWN_TEXT],
  [String.raw`/"(?:[^"\\]|\\.)*"|[[{]|[\]}]|,/gs`, OWN_TEXT],
  // template
  [String.raw`/(?:[)>.,\n]|&gt;)+$/`, 'a word of 2,048 characters at most'],
  [
    String.raw`/[\t\n\v\f\r ]+|[^\t\n\v\f\r ]*?[\p{L}\p{N}_"'&.,?!]-(?=[\p{L}_]{2})|[^\t\n\v\f\r ]+?(?=-{2,}\w)|-{2,}(?=\w)|[^\t\n\v\f\r ]+/gu`,
    'counted against the limits of a rendering',
  ],
  [String.raw`/^[ 0]*(\d+)$/`, 'what one directive of strftime gives: a few characters'],
  [String.raw`/\.?0+$/`, 'a number with 100 decimals at most'],
  [String.raw`/\bSecurityError\b|access to attribute '[^']{1,80}' of '[^']{1,80}' object is unsafe/`, BY_COUNT],
])
