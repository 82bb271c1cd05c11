import { intArgument } from '../methods/arguments.ts'
import { make } from '../runtime/run.ts'
import { define } from '../values/signature.ts'
import { truthy } from '../values/truth.ts'
import type { PythonFunction } from '../values/value.ts'

const WORDS = 'lorem ipsum dolor sit amet consectetuer adipiscing elit sed diam nonummy nibh euismod tincidunt'.split(
  ' ',
)

/** `lipsum(n, html, min, max)`: filler. Jinja's is random; here it is always the same, with `min` words a paragraph. */
export const lipsum: PythonFunction = define(
  'generate_lorem_ipsum(n=5, html=True, min=20, max=100)',
  (run, count, html, least) => {
    const words = Math.max(1, intArgument(least))
    const paragraphs = Math.max(0, intArgument(count))
    make(run, 12 * words * paragraphs)
    const sentence = Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length]).join(' ')
    const paragraph = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
    const texts = Array.from({ length: paragraphs }, () => (truthy(html) ? `<p>${paragraph}</p>` : paragraph))
    return truthy(html) ? { kind: 'markup', text: texts.join('\n') } : texts.join('\n\n')
  },
)
