import { InputError } from '@callspec/core'
import type { ModelFiles } from '@callspec/inspect'
import { fetchModel, modelAddress, previousRevision, requestedAddresses, revisionAddresses } from '@callspec/inspect'
import { button, element, say } from '@callspec/report/page'
import { shortened } from '../parts.ts'
import type { PickedFile } from './choose-files.ts'
import { dropZone } from './drop-zone.ts'
import { readPicked, sendFromPage } from './read-files.ts'

/** Where a model's files come from: files of the visitor, and on a served page an address. */
export interface ModelSource {
  readonly view: HTMLElement
  /** Shows an address that came from elsewhere. Nothing is fetched. */
  readonly setAddress: (text: string) => void
  /** Offers to look for the revision before that of these files, if their site has revisions. Nothing is fetched. */
  readonly offerPrevious: (files: ModelFiles) => void
}

interface SourceLook {
  readonly id: string
  readonly label: DocumentFragment
  readonly onFiles: (files: ModelFiles) => void
  readonly onAddress: (text: string) => void
}

/** Whether the policy of the page lets it connect: a page that lies in a file may not. */
function mayConnect(page: Document): boolean {
  return page.documentElement.hasAttribute('data-connects')
}

/** A place to drop files of a model, and a field for its address. */
export function modelSource({ id, label, onFiles, onAddress }: SourceLook): ModelSource {
  const status = element('p', { class: 'quiet', role: 'status' })
  let newest = 0
  const load = (what: DocumentFragment, work: () => Promise<ModelFiles>): void => {
    newest += 1
    const own = newest
    status.className = 'quiet'
    status.replaceChildren(what)
    work().then(
      (files) => {
        if (own !== newest) return
        status.replaceChildren(
          say('read: ', '已读取：'),
          shortened([...files.texts.keys(), files.gguf?.file ?? ''].filter((name) => name !== '').join(', '), 400),
        )
        onFiles(files)
      },
      (error: unknown) => {
        if (own !== newest) return
        status.className = 'bad'
        status.replaceChildren(
          element('span', { lang: 'en-GB' }, [error instanceof InputError ? error.message : String(error)]),
        )
      },
    )
  }
  const pick = (picked: () => Promise<readonly PickedFile[]>): void =>
    load(say('reading …', '读取中…'), async () => readPicked(await picked()))
  const address = addressField(id, { onAddress, load })
  const previous = element('div', {})
  const parts = mayConnect(document)
    ? [dropZone({ id, label, pick }), address.view, previous, status]
    : [dropZone({ id, label, pick }), fileNote(), status]
  return {
    view: element('div', { class: 'model-source' }, parts),
    setAddress: address.set,
    offerPrevious: (files) => {
      const find = (): void =>
        load(say('fetching …', '获取中…'), async () => (await previousRevision(files, sendFromPage)).files)
      previous.replaceChildren(...previousView(files, find))
    },
  }
}

/** The button for the previous revision, with what it requests. */
function previousView(files: ModelFiles, find: () => void): readonly HTMLElement[] {
  const addresses = revisionAddresses(files)
  if (addresses === null) return []
  const urls = [addresses.commits, `${addresses.resolve}COMMIT/…`]
  return [
    element('p', { class: 'previous' }, [button(say('Find the previous revision', '查找上一个版本'), find)]),
    element('p', { class: 'quiet hint' }, [
      say(
        'The newest commit with other templates. The button requests the list of commits, and the same five files of at most 20 of them:',
        '模板不同的最新提交。按下按钮后会请求提交列表，以及其中最多 20 个提交的同样五个文件：',
      ),
    ]),
    element(
      'ul',
      { class: 'addresses' },
      urls.map((url) => element('li', {}, [element('code', {}, [shortened(url, 300)])])),
    ),
  ]
}

function fileNote(): HTMLElement {
  return element('p', { class: 'quiet hint' }, [
    say(
      'This page is a file and connects to nothing. callspec playground serves one that can fetch a model from an address.',
      '本页是文件，不会连接任何地址。callspec playground 提供的页面可以按地址获取模型。',
    ),
  ])
}

interface AddressField {
  readonly view: HTMLElement
  readonly set: (text: string) => void
}

interface AddressUse {
  readonly onAddress: (text: string) => void
  readonly load: (what: DocumentFragment, work: () => Promise<ModelFiles>) => void
}

/** An address; what a press of the button asks for is shown before. */
function addressField(id: string, { onAddress, load }: AddressUse): AddressField {
  const input = element('input', {
    ...{ type: 'text', id: `${id}-address`, placeholder: 'owner/name', spellcheck: 'false', autocomplete: 'off' },
  })
  const hint = element('p', { class: 'quiet hint' })
  const list = element('ul', { class: 'addresses' })
  const fetchIt = button(say('Fetch', '获取'), () => {
    const address = modelAddress(input.value.trim())
    if (address.kind !== 'wrong') load(say('fetching …', '获取中…'), () => fetchModel(address, sendFromPage))
  })
  const show = (): void => {
    const text = input.value.trim()
    const address = modelAddress(text)
    fetchIt.disabled = address.kind === 'wrong'
    hint.replaceChildren(
      text === ''
        ? say('Nothing is requested before the button is pressed.', '按下按钮之前不会发出任何请求。')
        : address.kind === 'wrong'
          ? element('span', { lang: 'en-GB' }, [address.why])
          : say('The button requests, from this browser:', '按下按钮后，本浏览器会请求：'),
    )
    const urls = address.kind === 'wrong' ? [] : requestedAddresses(address)
    list.replaceChildren(...urls.map((url) => element('li', {}, [element('code', {}, [shortened(url, 300)])])))
  }
  input.addEventListener('input', () => {
    show()
    onAddress(input.value)
  })
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' && !fetchIt.disabled) fetchIt.click()
  })
  show()
  return {
    view: element('div', { class: 'field' }, [
      element('p', { class: 'field-head' }, [
        element('label', { for: `${id}-address` }, [say('or the address of a model', '或模型的地址')]),
      ]),
      element('p', { class: 'address' }, [input, ' ', fetchIt]),
      hint,
      list,
    ]),
    set: (text) => {
      if (input.value === text) return
      input.value = text
      show()
    },
  }
}
