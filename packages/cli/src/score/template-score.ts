import type { OutputReader, ReadOutput } from '@callspec/eval/outputs'
import { outputReader } from '@callspec/eval/outputs'
import { readByTemplate } from '@callspec/response-template'
import type { TemplateReading } from '@callspec/response-template'
import { readTemplateAt, TEMPLATE_ID, toolsValue } from '../template/template-reader.ts'

/**
 * Reads recorded outputs by a response template. Strict: as transformers reads, which refuses a reply with a call that it cannot read;
 * parse: also what vLLM keeps of such a reply.
 *
 * @throws UsageError for a file without a template that can be read
 */
export async function templateReader(path: string): Promise<OutputReader> {
  const template = await readTemplateAt(path)
  const native = outputReader('native')
  return {
    accepts: (name) => name.toLowerCase() === TEMPLATE_ID,
    read: (text, reply) => {
      // Calls that a server has read are not in the text.
      if (reply !== undefined && reply.toolCalls.length > 0) return native.read(text, reply)
      const context = { tools: toolsValue(reply?.tools ?? []) }
      const strict = readByTemplate(template, text, context)
      if (strict.raised === null) return judged(strict)
      return refused(strict.raised, readByTemplate(template, text, { ...context, reader: 'vllm' }))
    },
  }
}

function judged({ calls }: TemplateReading): ReadOutput {
  const label = calls.length === 0 ? 'final_answer' : 'well_formed'
  return { strict: label, lenient: label, problem: null, repairs: [], names: calls.map(({ name }) => name) }
}

function refused(problem: string, { calls }: TemplateReading): ReadOutput {
  const names = calls.map(({ name }) => name)
  // The kind of the raise is the reason; its text quotes the reply.
  const reason = problem.split(':')[0] ?? problem
  return calls.length === 0
    ? { strict: 'malformed', lenient: 'malformed', problem: reason, repairs: [], names }
    : { strict: 'malformed', lenient: 'recovered', problem: reason, repairs: ['broken call left out'], names }
}
