import { sha256Hex } from '#shared/platform/crypto.ts'
import type { ChannelEvent } from '../adapter.ts'
import { isAuthentic, type Verdicts } from './authentic.ts'
import { isAutomatic } from './automatic.ts'
import { type Mail, parseMail } from './message.ts'

/** A mail as the receiving server stored it. */
export interface ReceivedMail {
  raw: Uint8Array<ArrayBuffer>
  /** The key of its object. */
  key: string
  /** The return path; empty for bounces. */
  envelopeFrom: string
  verdicts: Verdicts
  /** Epoch milliseconds of its receipt. */
  at: number
}

/**
 * Returns the message in a mail, or the reason to ignore the mail. Mails that programs sent, mails with a forged sender
 * and mails with a virus are ignored.
 */
export async function readMail(
  received: ReceivedMail,
): Promise<{ event: ChannelEvent } | { ignored: string }> {
  const { verdicts, envelopeFrom, at, key } = received
  if (verdicts.virus === 'FAIL') return { ignored: 'virus' }
  const mail = await parseMail(received.raw)
  if (mail === undefined) return { ignored: 'unreadable' }
  const { from, messageId } = mail
  if (from === undefined) return { ignored: 'not one sender' }
  if (isAutomatic(mail, envelopeFrom)) return { ignored: 'automatic' }
  if (!isAuthentic(mail, { verdicts, envelopeFrom })) return { ignored: 'forged sender' }
  const id = messageId ?? `<${await sha256Hex(received.raw)}@none>`
  const root = mail.references[0] ?? id
  return {
    event: {
      // With the sender: another recipient of a mail knows its id, and must not take its place.
      id: await sha256Hex(`${from.address}\n${id}`),
      chat: (await sha256Hex(`${from.address}\n${root}`)).slice(0, 32),
      sender: { id: from.address, name: from.name, bot: false },
      text: promptOf(mail),
      files: mail.files.map(({ index, name, mime, body }) => ({
        id: `${key}#${index}`,
        name,
        mime,
        bytes: body.length,
      })),
      replyTo: replyTo(mail, { to: from.address, id: messageId }),
      at,
      codes: verdicts.spam !== 'FAIL',
    },
  }
}

function promptOf({ subject, text }: Mail): string {
  return [...(subject === '' ? [] : [`Subject: ${subject}`]), text].join('\n\n').trim()
}

/** The longest value of the header References in characters, below SES's limit of a header: API_MessageHeader. */
const longestReferences = 900

/** Returns the data that keeps an answer in the thread of the sender's mail program: RFC 5322, 3.6.4. */
function replyTo(
  { references, subject }: Mail,
  { to, id }: { to: string; id: string | undefined },
): Record<string, string> {
  const answered = /^re\s*:/i.test(subject) ? subject : `Re: ${subject}`.trim()
  const shared = { to, subject: answered.slice(0, 500) }
  if (id === undefined || !/^[!-~]+$/.test(id)) return shared
  return { ...shared, inReplyTo: id, references: shortened([...references, id]) }
}

/** Keeps the first mail, which names the thread, and as many of the last ones as fit. */
function shortened(ids: readonly string[]): string {
  const [first = '', ...rest] = ids.filter((id) => /^[!-~]+$/.test(id))
  const kept: string[] = []
  let left = longestReferences - first.length
  for (const id of rest.toReversed()) {
    left -= id.length + 1
    if (left < 0) break
    kept.unshift(id)
  }
  return [first, ...kept].join(' ')
}
