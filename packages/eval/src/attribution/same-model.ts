/**
 * Whether two names may stand for one model: `org/name` and `name`, a path to a file, capitals, a date or a build behind the
 * name, a quantisation, a tag such as `:latest`. What is left is compared letter by letter, so `mini` and `8b` count. A name
 * that names no model (`default`) may be anything.
 */
export function isSameModel(one: string, other: string): boolean {
  if (one === other) return true
  const [left, right] = [bareName(one), bareName(other)]
  return left === right || NAMELESS.has(left) || NAMELESS.has(right)
}

/** What users and servers write where a name is wanted and none is needed. */
const NAMELESS: ReadonlySet<string> = new Set([
  ...['', 'default', 'model', 'auto', 'local', 'localmodel', 'llm', 'tgi', 'vllm', 'openrouterauto'],
])

/** Parts of a name that tell a build, a file or a route of a model, and not another model. */
const BUILD =
  /^(?:\d{4,8}|0\d\d|latest|preview|exp|beta|free|gguf|safetensors|bin|awq|gptq|exl2|mlx|bnb|hf|it|instruct|chat|fp\d+|bf16|int[48]|[48]bit|w\da\d+)$/
/** How llama.cpp spells a quantisation, with its size: `Q4_K_M`. */
const QUANTISATION = /[-_.](?:ud-)?i?q\d(?:_[a-z0-9]{1,3}){0,3}(?![a-z0-9])/

function bareName(name: string): string {
  const last =
    name
      .trim()
      .toLowerCase()
      .slice(0, LONGEST)
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  const undated = last.replace(/[-_@](?:19|20)\d\d-\d\d-\d\d(?!\d)/, '').replace(QUANTISATION, '')
  const parts = undated.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
  const kept = parts.filter((part, at) => at === 0 || !BUILD.test(part))
  return kept.join('')
}

/** Names are hostile too. */
const LONGEST = 400
