/** Collects what engines answered, each thing once, and gives it as `EngineRecords` of `src/engines`. */
export function createRecords() {
  const engines = createList()
  const settings = createList()
  const reasons = createList()
  const answers = createList()
  const rows = new Map()
  const rowOf = ({ format, text, setting }) => {
    const own = rows.get(format) ?? new Map()
    rows.set(format, own)
    const at = settings.add(setting)
    const key = `${at} ${text}`
    const row = own.get(key) ?? { text, at, alike: new Set(), otherwise: new Map() }
    own.set(key, row)
    return row
  }
  return {
    alike: (engine, question) => rowOf(question).alike.add(engines.add(engine)),
    // The first of several ways to cut a text stands for the others.
    otherwise: (engine, question, { reason, answer }) => {
      const { otherwise } = rowOf(question)
      const at = engines.add(engine)
      if (otherwise.has(at)) return
      otherwise.set(at, [reason === null ? null : reasons.add(reason), answer === null ? null : answers.add(answer)])
    },
    data: () => ({
      engines: engines.all(),
      settings: settings.all(),
      reasons: reasons.all(),
      answers: answers.all(),
      texts: Object.fromEntries([...rows].map(([format, own]) => [format, [...own.values()].map(packed)])),
    }),
  }
}

/** Streamed in one of several ways, a text is read otherwise even if all others are read right. */
function packed({ text, at, alike, otherwise }) {
  return [
    text,
    at,
    [...alike].filter((engine) => !otherwise.has(engine)),
    [...otherwise].map(([engine, [reason, answer]]) => [engine, reason, answer]),
  ]
}

/** Equal things have one number. */
function createList() {
  const numbers = new Map()
  const things = []
  return {
    add: (thing) => {
      const key = JSON.stringify(thing)
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, things.length)
      return things.push(thing) - 1
    },
    all: () => things,
  }
}
