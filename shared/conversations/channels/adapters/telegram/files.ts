import * as z from 'zod'
import type { ChannelEvent } from '../adapter.ts'

const file = z.object({
  file_id: z.string(),
  file_unique_id: z.string().catch(''),
  file_size: z.number().optional().catch(undefined),
  file_name: z.string().optional().catch(undefined),
  mime_type: z.string().optional().catch(undefined),
})

const one = file.optional().catch(undefined)

/** The fields of a message that contain its file: core.telegram.org/bots/api#message. */
export const sentFile = {
  /** The same photo in several sizes, smallest first. */
  photo: z.array(file).optional().catch(undefined),
  document: one,
  audio: one,
  voice: one,
  video: one,
  video_note: one,
}

type SentFiles = z.output<z.ZodObject<typeof sentFile>>

/** The media type and the extension of files that Telegram sends without them. */
const usual = {
  photo: ['image/jpeg', 'jpg'],
  document: ['application/octet-stream', 'bin'],
  audio: ['audio/mpeg', 'mp3'],
  voice: ['audio/ogg', 'ogg'],
  video: ['video/mp4', 'mp4'],
  video_note: ['video/mp4', 'mp4'],
} as const satisfies Record<keyof SentFiles, readonly [string, string]>

/** Returns the files of a message. A photo is returned in its largest size. */
export function filesOf(message: SentFiles): ChannelEvent['files'] {
  const { photo, ...others } = message
  const all = { photo: photo?.at(-1), ...others }
  return (Object.keys(usual) as (keyof typeof usual)[]).flatMap((kind) => {
    const sent = all[kind]
    if (sent === undefined) return []
    const [mime, end] = usual[kind]
    return [
      {
        id: sent.file_id,
        name: sent.file_name ?? `${kind}-${sent.file_unique_id}.${end}`,
        mime: sent.mime_type ?? mime,
        ...(sent.file_size !== undefined && { bytes: sent.file_size }),
      },
    ]
  })
}
