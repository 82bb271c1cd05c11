import { describe, expect, it } from 'vitest'
import { compileTemplate } from '../src/index.ts'
import { NOW, probeVariables, recordedTemplates } from './helpers/vectors.ts'

/** Templates in use that Python's Jinja2 rendered over the probe conversations. */
const KNOWN = 44

const templates = recordedTemplates()
const probes = probeVariables()
const absent = KNOWN - templates.length

describe(`templates in use render as Python renders them (${absent} of ${KNOWN} skipped: their texts are absent)`, () => {
  it.each(templates)('$name', ({ source, renderings }) => {
    const template = compileTemplate(source)

    const different = renderings.filter(({ probe, text, kind }) => {
      const rendering = template.render(probes.get(probe) ?? new Map(), { now: NOW })
      return rendering.kind === 'rendered' ? rendering.text !== text : rendering.error.type !== kind
    })

    expect(different).toEqual([])
  })

  it.skipIf(absent === KNOWN)('none of the 1 672 recorded renderings is left out', () => {
    const count = templates.reduce((sum, { renderings }) => sum + renderings.length, 0)

    expect([absent, count]).toEqual([0, 1672])
  })
})
