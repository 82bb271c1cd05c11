import { element, say } from '@callspec/report/page'
import type { PickedFile } from './choose-files.ts'
import { droppedThings, filesIn } from './dropped-files.ts'

interface ZoneUse {
  readonly id: string
  readonly label: DocumentFragment
  readonly pick: (picked: () => Promise<readonly PickedFile[]>) => void
}

/** A place to drop files or a folder of a model, with a picker for each: not everybody can drag. */
export function dropZone({ id, label, pick }: ZoneUse): HTMLElement {
  const zone = element('div', { class: 'drop' }, [
    element('p', { class: 'field-head' }, [
      element('span', {}, [label]),
      element('span', { class: 'pickers' }, [
        picker(
          element('input', { type: 'file', id: `${id}-files`, multiple: '' }),
          say('choose files', '选择文件'),
          pick,
        ),
        picker(
          element('input', { type: 'file', id: `${id}-folder`, webkitdirectory: '' }),
          say('choose a folder', '选择目录'),
          pick,
        ),
      ]),
    ]),
    element('p', { class: 'quiet hint' }, [
      say(
        'Drop a folder or files here: chat_template.jinja, tokenizer_config.json, config.json, tekken.json, or a GGUF, of which only the head is read.',
        '把目录或文件拖到这里：chat_template.jinja、tokenizer_config.json、config.json、tekken.json，或只读取文件头的 GGUF。',
      ),
    ]),
  ])
  zone.addEventListener('dragover', (event) => {
    event.preventDefault()
    zone.classList.add('over')
  })
  zone.addEventListener('dragleave', () => zone.classList.remove('over'))
  zone.addEventListener('drop', (event) => {
    event.preventDefault()
    zone.classList.remove('over')
    const dropped = droppedThings([...(event.dataTransfer?.items ?? [])])
    pick(async () => filesIn(await dropped))
  })
  return zone
}

function picker(input: HTMLInputElement, words: DocumentFragment, pick: ZoneUse['pick']): HTMLElement {
  input.addEventListener('change', () => {
    const chosen = [...(input.files ?? [])].map((file): PickedFile => {
      const path = file.webkitRelativePath === '' ? file.name : file.webkitRelativePath
      return { path, open: () => Promise.resolve(file) }
    })
    pick(() => Promise.resolve(chosen))
    input.value = ''
  })
  return element('label', { class: 'file' }, [input, words])
}

/** A file that is dropped beside the zones would replace the page, with all that was typed: it is refused. */
export function refuseOtherDrops(page: Document): void {
  page.addEventListener('dragover', (event) => {
    const { dataTransfer, defaultPrevented } = event
    if (defaultPrevented || dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    dataTransfer.dropEffect = 'none'
  })
}
