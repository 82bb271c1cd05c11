import type { ContentItem } from '../message.ts'
import type { Profile } from '../profile.ts'
import { baseName } from '../python/base-name.ts'
import { isDict, isList } from '../python/value.ts'
import type { PyValue } from '../python/value.ts'
import { Raise } from '../raise.ts'
import { typeAndValue } from './content-item.ts'

/** What a note calls an upload. */
export type UploadKind = 'file' | 'image' | 'audio' | 'video'

export interface Upload {
  readonly kind: UploadKind
  /** A path or URL. */
  readonly source: string
}

/** Which items besides files a note names. */
export interface NotedItems {
  /** Images and videos. */
  readonly addMultimodalUpload: boolean
  readonly addAudioUpload: boolean
}

const LABELS: { readonly [K in UploadKind]: { readonly zh: string; readonly en: string } } = {
  file: { zh: '[文件]', en: '[file]' },
  image: { zh: '![图片]', en: '![image]' },
  audio: { zh: '![音频]', en: '![audio]' },
  video: { zh: '![视频]', en: '![video]' },
}

const IMAGE_ENDINGS = ['jpg', 'jpeg', 'png', 'webp']

/**
 * The uploads that a note has to name, in item order (spec §4.1).
 *
 * @throws Raise `TypeError` for an audio map without a text under `data`, and for video frames that are not texts
 */
export function uploadsIn(items: readonly ContentItem[], noted: NotedItems, profile: Profile): readonly Upload[] {
  return items.flatMap((item): readonly Upload[] => {
    const { type, value } = typeAndValue(item)
    if (type === 'file') return [upload('file', value)]
    if (type === 'image') return notesImages(noted, profile) ? [upload('image', value)] : []
    // Before v0.0.18 only files and images were named.
    if (profile.uploadNoteNames !== 'by-item-type') return []
    if (type === 'video' && noted.addMultimodalUpload) {
      return isList(value) ? value.map((frame) => upload('video', frame)) : [upload('video', value)]
    }
    if (type === 'audio' && noted.addAudioUpload) return [upload('audio', isDict(value) ? value.get('data') : value)]
    return []
  })
}

/** The text of the note, with what parts it from the text that follows (spec §4.1). */
export function uploadNote(uploads: readonly Upload[], language: 'en' | 'zh', profile: Profile): string {
  const entries = uploads
    .map(({ kind, source }) => {
      const name = baseName(source)
      return `${LABELS[kindShown(kind, name, profile)][language]}(${name})`
    })
    .join(' ')
  const end = profile.uploadNoteEnd === 'blank-line' ? '\n\n' : language === 'en' ? ' ' : ''
  return language === 'zh' ? `（上传了 ${entries}）${end}` : `(Uploaded ${entries})${end}`
}

function notesImages(noted: NotedItems, profile: Profile): boolean {
  return profile.uploadNoteNames === 'files-and-images-by-extension' || noted.addMultimodalUpload
}

function kindShown(kind: UploadKind, name: string, profile: Profile): UploadKind {
  if (profile.uploadNoteNames === 'by-item-type') return kind
  const lower = name.toLowerCase()
  // As in the reference: the ending is looked for without its dot (`is_image`).
  return IMAGE_ENDINGS.some((ending) => lower.endsWith(ending)) ? 'image' : 'file'
}

function upload(kind: UploadKind, source: PyValue | undefined): Upload {
  if (typeof source === 'string') return { kind, source }
  throw new Raise('TypeError', `expected a path or URL for an upload of kind ${kind}`)
}
