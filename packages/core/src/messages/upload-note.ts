import type { ContentItem } from './message.ts'
import type { Profile } from '../profile.ts'
import { baseName, isDict, isList, Raise } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { typeAndValue } from './content-item.ts'

/** What a note calls an upload. */
export type UploadKind = 'file' | 'image' | 'audio' | 'video'

export interface Upload {
  readonly kind: UploadKind
  /** A path or URL; whatever else an audio map or a list of frames holds, too. */
  readonly source: PyValue
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
 * @throws Raise `KeyError` for an audio map without `data`
 */
export function uploadsIn(items: readonly ContentItem[], noted: NotedItems, profile: Profile): readonly Upload[] {
  return items.flatMap((item): readonly Upload[] => {
    const { type, value } = typeAndValue(item)
    if (type === 'file') return [{ kind: 'file', source: value }]
    if (type === 'image') return notesImages(noted, profile) ? [{ kind: 'image', source: value }] : []
    // Before v0.0.18 only files and images were named.
    if (profile.uploadNoteNames !== 'by-item-type') return []
    if (type === 'video' && noted.addMultimodalUpload) {
      return (isList(value) ? value : [value]).map((source) => ({ kind: 'video', source }))
    }
    if (type === 'audio' && noted.addAudioUpload) return [{ kind: 'audio', source: audioSource(value) }]
    return []
  })
}

/**
 * The text of the note, with what parts it from the text that follows (spec §4.1).
 *
 * @throws Raise `TypeError` for a source that is no text, and what `baseName` raises
 */
export function uploadNote(uploads: readonly Upload[], language: 'en' | 'zh', profile: Profile): string {
  const entries = uploads
    .map(({ kind, source }) => {
      if (typeof source !== 'string') throw new Raise('TypeError', 'expected string or bytes-like object')
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
  // As in the reference: the name of the name is taken, and the ending is looked for without its dot (`is_image`).
  const lower = baseName(name).toLowerCase()
  return IMAGE_ENDINGS.some((ending) => lower.endsWith(ending)) ? 'image' : 'file'
}

function audioSource(audio: PyValue): PyValue {
  if (!isDict(audio)) return audio
  const data = audio.get('data')
  if (data === undefined) throw new Raise('KeyError', "'data'")
  return data
}
