import { notFound } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { ChannelFile } from '../adapter.ts'
import { parseMail } from './message.ts'

/** Returns an attachment of a stored mail. @throws PlatformError 404 after the mail was removed */
export async function downloadAttachment(
  { objects }: Can<'objects'>,
  { id }: ChannelFile,
): Promise<{ name: string; mime: string; body: AsyncIterable<Uint8Array> }> {
  const [key = '', index] = id.split('#')
  const raw = await objects.get(key)
  const mail = raw && (await parseMail(raw))
  const file = mail?.files.find((each) => each.index === Number(index))
  if (file === undefined) throw notFound('Attachment')
  const { name, mime, body } = file
  return {
    name,
    mime,
    body: (async function* () {
      yield body
    })(),
  }
}
