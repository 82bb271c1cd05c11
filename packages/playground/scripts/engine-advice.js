// Makes what engines are known to break, by format, from the compatibility data.
import { engineAdvice, openCompatData } from '@callspec/compat-data'
import { FORMATS } from '@callspec/core'

/** Topics of one engine and format that are kept: those with the most wrong cases. */
const KEPT = 6

/** For the page, as `EngineAdviceRecord[]`: engines with flags first. */
export function adviceRecords() {
  const formats = FORMATS.flatMap(({ id, versions }) => [id, ...versions.map((version) => `${id}@${version}`)])
  const advice = engineAdvice(openCompatData(), formats)
  const sorted = advice.toSorted((one, other) => other.flags.length - one.flags.length)
  return sorted.map(({ broken, ...each }) => ({
    ...each,
    topics: broken.length,
    broken: broken.slice(0, KEPT).map(({ topic, ids }) => [topic, ids.length]),
  }))
}
