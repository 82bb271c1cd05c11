import type { InspectedResponse } from '@callspec/inspect'
import { element, say } from '@callspec/report/page'
import { andMore, countedText, shortened } from '../parts.ts'
import { inEnglish, ruleView, SEVERITY_SIGNS } from '../template/template-panel.ts'

/** A response template: whether it reads what the chat template writes, and what is wrong with it. */
export function responseView(response: InspectedResponse): readonly HTMLElement[] {
  switch (response.kind) {
    case 'none':
      return [
        element('p', {}, [
          say(
            'none; callspec formats NAME --response-template writes one',
            '没有；可用 callspec formats NAME --response-template 生成',
          ),
        ]),
      ]
    case 'schema':
      return [
        element('p', { class: 'warn' }, [
          say(
            'only the older response_schema, deprecated since July 2026',
            '只有旧的 response_schema，自 2026 年 7 月起已弃用',
          ),
        ]),
      ]
    case 'refused':
      return [
        element('p', { class: 'bad' }, [
          say('transformers refuses it: ', 'transformers 拒绝它：'),
          inEnglish(shortened(response.reason, 400)),
        ]),
      ]
    default:
      return [...tripsView(response.trips), ...findingsView(response.findings)]
  }
}

type ReadResponse = Extract<InspectedResponse, { kind: 'read' }>

/** Messages that did not come back are listed up to this number. */
const MOST_TRIPS = 20

function tripsView(trips: ReadResponse['trips']): readonly HTMLElement[] {
  if (trips.length === 0)
    return [
      element('p', { class: 'quiet' }, [
        say('no round trip: that needs a chat template, too', '没有往返检查：还需要聊天模板'),
      ]),
    ]
  const lost = trips.filter(({ verdict }) => verdict !== 'same')
  return [
    element('p', { class: 'outcome' }, [
      element('span', { class: lost.length === 0 ? 'good' : 'warn' }, [lost.length === 0 ? '✓ ' : '! ']),
      say(
        `${trips.length - lost.length} of ${trips.length} messages come back as they were`,
        `${trips.length} 条消息中有 ${trips.length - lost.length} 条原样读回`,
      ),
    ]),
    ...lost
      .slice(0, MOST_TRIPS)
      .map(({ id, verdict, differs, reply, outcome }) =>
        element('details', { class: 'finding' }, [
          element('summary', {}, [
            element('code', {}, [verdict]),
            ` ${id}${differs.length === 0 ? '' : ` (${differs.join(', ')})`}`,
          ]),
          reply === null ? null : bytes(reply),
          bytes(outcome),
        ]),
      ),
    andMore(lost.length - MOST_TRIPS),
  ].filter((each) => each !== null)
}

/** Findings of the lint, each with a reply that shows it. */
function findingsView(findings: ReadResponse['findings']): readonly HTMLElement[] {
  return [
    element('p', { class: 'outcome' }, [
      element('span', { class: findings.length === 0 ? 'good' : 'warn' }, [findings.length === 0 ? '✓ ' : '! ']),
      countedText(findings.length, ['finding', 'findings', '个问题']),
    ]),
    ...findings.map(({ rule, severity, about, detail, remedy, field, reply, chunks, read, instead }) => {
      const [sign, look] = SEVERITY_SIGNS[severity]
      return element('details', { class: 'finding response-finding' }, [
        element('summary', {}, [element('span', { class: look }, [`${sign} ${rule}`]), ' ', ruleView(about)]),
        field === null
          ? null
          : element('p', {}, [say('field ', '字段 '), element('code', {}, [shortened(field, 100)])]),
        element('p', { lang: 'en-GB' }, [shortened(detail, 2000)]),
        element('p', { class: 'quiet' }, [say('What to do: ', '处理办法：'), ruleView(remedy)]),
        ...(reply === null
          ? []
          : [
              element('p', { class: 'quiet' }, [
                chunks === null ? say('the reply', '回复') : say('the reply, as it arrives', '回复，按到达的片段'),
              ]),
              ...(chunks ?? [reply]).slice(0, MOST_CHUNKS).map(bytes),
              ...(read === null ? [] : [element('p', { class: 'quiet' }, [say('is read as', '读作')]), bytes(read)]),
              ...(instead === null
                ? []
                : [element('p', { class: 'quiet' }, [say('and not as', '而不是')]), bytes(instead)]),
            ]),
      ])
    }),
  ]
}

/** Pieces of a reply that are shown. */
const MOST_CHUNKS = 8

function bytes(text: string): HTMLElement {
  return element('pre', { class: 'bytes', tabindex: '0' }, [shortened(text, 1000)])
}
