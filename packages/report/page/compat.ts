import { element, say, startCopying, startLanguages } from './dom.ts'

// The script of the compatibility site: languages, copying, search by symptom, and the cases that have no page of their own.

startLanguages(document)
startCopying(document)
startSearch()
startCases()

interface SearchEntry {
  readonly id: string
  readonly path: string
  readonly about: string
  readonly symptoms: readonly string[]
  readonly engines: readonly string[]
}

/** So many results are shown. */
const SHOWN = 60

function startSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#words')
  if (input === null) return
  const chips = [...document.querySelectorAll<HTMLButtonElement>('button[data-symptom]')]
  const names = new Map(chips.map((chip) => [chip.dataset['symptom'] ?? '', chip.textContent]))
  let entries: Promise<readonly SearchEntry[]> | null = null
  let symptom = ''
  const search = async (): Promise<void> => {
    entries ??= readJson<readonly SearchEntry[]>('search.json')
    const words = input.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const textOfEntry = ({ id, about, engines, symptoms }: SearchEntry): string =>
      [id, about, ...engines, ...symptoms, ...symptoms.map((key) => names.get(key) ?? '')].join(' ').toLowerCase()
    const found = (await entries).filter((entry) => {
      if (symptom !== '' && !entry.symptoms.includes(symptom)) return false
      const text = textOfEntry(entry)
      return words.every((word) => text.includes(word))
    })
    showResults(words.length === 0 && symptom === '' ? [] : found, found.length)
    if (words.length === 0 && symptom === '') document.querySelector('#found')?.replaceChildren()
  }
  input.addEventListener('input', () => void search())
  for (const chip of chips)
    chip.addEventListener('click', () => {
      symptom = symptom === chip.dataset['symptom'] ? '' : (chip.dataset['symptom'] ?? '')
      for (const each of chips) each.setAttribute('aria-pressed', String(each.dataset['symptom'] === symptom))
      void search()
    })
}

function showResults(entries: readonly SearchEntry[], count: number): void {
  document.querySelector('#found')?.replaceChildren(say(`${count} cases`, `${count} 个用例`))
  const items = entries
    .slice(0, SHOWN)
    .map(({ id, path, about, engines }) =>
      element('li', {}, [
        element('p', {}, [element('a', { href: path }, [id])]),
        element('p', { class: 'quiet' }, [[about, engines.join(', ')].filter((text) => text !== '').join(' ')]),
      ]),
    )
  if (entries.length > SHOWN)
    items.push(element('li', { class: 'quiet' }, [say('More: add a word.', '更多：请增加关键词。')]))
  document.querySelector('#results')?.replaceChildren(...items)
}

async function readJson<T>(path: string): Promise<T> {
  return (await (await fetch(path)).json()) as T
}

function startCases(): void {
  const select = document.querySelector<HTMLSelectElement>('#format')
  if (select === null) return
  const files = new Map<string, Promise<readonly string[]>>()
  const show = async (): Promise<void> => {
    const id = fromHash()
    const format = id === '' ? select.value : (id.split('/')[0] ?? '')
    if (![...select.options].some(({ value }) => value === format)) return
    select.value = format
    const lines = await readLines(format, files)
    const line = id === '' ? undefined : lines.find((each) => idOf(each) === id)
    document.querySelector('#case')?.replaceChildren(...(line === undefined ? [] : caseView(line)))
    const links = lines.map((each) =>
      element('li', {}, [element('a', { href: `#${encodeURIComponent(idOf(each))}` }, [idOf(each)])]),
    )
    document.querySelector('#found')?.replaceChildren(say(`${lines.length} cases`, `${lines.length} 个用例`))
    document.querySelector('#results')?.replaceChildren(...links)
    if (line !== undefined) scrollTo(0, 0)
  }
  select.addEventListener('change', () => {
    history.replaceState(null, '', '#')
    void show()
  })
  addEventListener('hashchange', () => void show())
  void show()
}

function fromHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

async function readLines(format: string, files: Map<string, Promise<readonly string[]>>): Promise<readonly string[]> {
  const known =
    files.get(format) ??
    fetch(`data/${format}.jsonl`).then(async (response) =>
      (await response.text()).split('\n').filter((line) => line !== ''),
    )
  files.set(format, known)
  return known
}

interface CaseLine {
  readonly id: string
  readonly about?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expected?: unknown
}

function idOf(line: string): string {
  return (JSON.parse(line) as CaseLine).id
}

function caseView(line: string): readonly HTMLElement[] {
  const { id, about = '', input, expected } = JSON.parse(line) as CaseLine
  const { text, ...rest } = input
  const shown = typeof text === 'string' ? element('pre', {}, [text]) : null
  return [
    element('h2', {}, [id]),
    element('p', {}, [about]),
    ...(shown === null ? [] : [shown]),
    ...(Object.keys(rest).length === 0 ? [] : [element('pre', {}, [JSON.stringify(rest, null, 2)])]),
    element('h3', {}, [say('The right answer', '正确答案')]),
    element('pre', {}, [expected === undefined ? 'refused' : JSON.stringify(expected, null, 2)]),
    element('p', {}, [say('No engine of the data differs on this case.', '数据中没有引擎在此用例上不同。')]),
  ]
}
