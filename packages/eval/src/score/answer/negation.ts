/** What may stand between a negation and what it negates. */
const FILLER = [
  "be|been|being|is|it|it's|that|this|the|a|an|at|on|in|to|of|as|equal|equals|really|actually|quite|even|exactly|precisely",
  'simply|just|about|around|approximately|likely|necessarily|correct|right|true|answer|result|number|value|get|have|say|think',
  'believe|suppose|give|gives|yield|make|produce|return|come|add|up|sure|any|my|your|one|by|called|named|owned|count|know|whether|if',
].join('|')

const GAP = '[\\s*_`"\'“”‘’「『($€£¥-]'
const NEGATION =
  "\\b(?:not|never|neither|nor|cannot|instead of|rather than|other than|except(?: for)?|far from|anything but|nowhere near)|n['’]t"
/** Asked first: few texts have one, and the long expression takes milliseconds to compile. */
const HAS_NEGATION = new RegExp(NEGATION, 'i')
const NEGATED_BEFORE = new RegExp(`(?:${NEGATION})(?:\\s+(?:${FILLER})\\b){0,5}${GAP}{1,6}$`, 'i')
const NEGATED_BEFORE_ZH = new RegExp(
  `(?:不是|并非|并不是|而非|绝非|绝不是|不等于|不为|不会是|不可能是|不应是|不应该是|不叫)(?:在|是|为|约|正好|恰好|由|第|周|数字|答案|结果){0,3}${GAP}{0,6}$`,
)
const NEGATED_BEHIND =
  /^[^\s,;:.!?，。；：！？]{0,12}[\s"'”’*_`)]{0,4}(?:\?\s{0,3}(?:no\b|nope\b|wrong\b|不)|,?\s?(?:is|was|are|were|would be|seems|looks)\s(?:(?:clearly|obviously|certainly|definitely|simply|just)\s)?(?:not (?:right|correct|true|it\b|what\b|the (?:right |correct |real )?(?:answer|result|number|value|one\b|day\b))|wrong\b|incorrect\b|false\b|fake\b|a (?:mistake|trap|decoy)\b)|\s?(?:is|was|are|were|ca)n['’]t (?:be )?(?:right|correct|true|it\b|the (?:right|correct|answer|result))|\s?(?:是?不对|是?错|不正确|是假|不是(?:正确)?(?:的)?答案))/i
const BEFORE = 80
const BEHIND = 60

/** Whether the words around a stretch of a text say that it is not so: `not 12`, `12 is wrong`, `不是 12`. Never far away. */
export function isNegated(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const before = text.slice(Math.max(0, start - BEFORE), start)
  return (
    (HAS_NEGATION.test(before) && NEGATED_BEFORE.test(before)) ||
    NEGATED_BEFORE_ZH.test(before) ||
    NEGATED_BEHIND.test(text.slice(end, end + BEHIND))
  )
}
