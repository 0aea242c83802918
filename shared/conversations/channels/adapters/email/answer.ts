import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { OpenChannel, Outcome, Part } from '../adapter.ts'
import { answerHtml } from './html.ts'

interface Answer {
  replyTo: Readonly<Record<string, string>>
  part: Part
  key: string
}

/**
 * Requests the mail with a part of an answer, in the thread of the mail that it answers. The mails' queue sends it once,
 * however often it is requested with the same key.
 */
export async function sendAnswer(
  { mailer, objects }: Can<'mailer' | 'objects'>,
  { id, settings }: OpenChannel,
  { replyTo, part, key }: Answer,
): Promise<Outcome> {
  const { to, subject = 'Re:', inReplyTo, references } = replyTo
  const from = settings['address']
  if (to === undefined || from === undefined)
    return { state: 'failed', reason: 'The mail has no address to answer' }
  const once = `channel-${await sha256Hex(`${id}\n${key}`)}`
  const shared = {
    to,
    from,
    subject,
    once,
    headers: {
      // RFC 3834: no program answers it.
      'Auto-Submitted': 'auto-replied',
      ...(inReplyTo !== undefined && { 'In-Reply-To': inReplyTo }),
      ...(references !== undefined && { References: references }),
    },
  }
  if ('text' in part) {
    await mailer.send({ ...shared, text: part.text, html: answerHtml(part.text) })
    return { state: 'sent' }
  }
  const { name, mime, body } = part.file
  const reason = refusedAttachment({ name, size: body.length })
  if (reason !== undefined) return { state: 'failed', reason }
  const object = `mails/out/${once}`
  await objects.put(object, body)
  await mailer.send({
    ...shared,
    text: name,
    html: answerHtml(name),
    attachments: [{ name, mime, key: object }],
  })
  return { state: 'sent' }
}

/** Returns why a file cannot be an attachment; undefined if it can. */
export function refusedAttachment({
  name,
  size,
}: {
  name: string
  size: number
}): string | undefined {
  if (refused.test(name)) return 'Mail services refuse programs as attachments'
  return size > longestFile ? `A file of a mail has at most ${longestFile} bytes` : undefined
}

/** SES accepts 40 MB as base64; many receivers take 10 MB: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const longestFile = 7 * 1024 * 1024

/** Endings of programs, which SES refuses: https://docs.aws.amazon.com/ses/latest/dg/mime-types.html */
const refused =
  /\.(ade|adp|app|asp|bas|bat|cer|chm|cmd|com|cpl|crt|csh|der|dll|exe|fxp|gadget|hlp|hta|inf|ins|isp|its|js|jse|ksh|lib|lnk|mad|maf|mag|mam|maq|mar|mas|mat|mau|mav|maw|mda|mdb|mde|mdt|mdw|mdz|msc|msh|msi|msp|mst|ops|pcd|pif|plg|prf|prg|reg|scf|scr|sct|shb|shs|sys|ps1|ps1xml|ps2|psc1|psc2|tmp|url|vb|vbe|vbs|vps|vsmacros|vss|vst|vsw|vxd|ws|wsc|wsf|wsh|xnk)$/i
