import {
  type Attachment as SesAttachment,
  SESv2Client,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2'
import type { WholeObjects } from '../objects/port.ts'
import type { Attachment, Mail, Mailer } from './port.ts'

export interface SesOptions {
  /** The sender, an address that SES has verified. */
  from: string
  /** An SES endpoint other than AWS's. */
  endpoint?: string | undefined
  /** The objects that attachments are read from. */
  objects: Pick<WholeObjects, 'get'>
}

/** The timeout of one attempt. After it, the queue delivers the mail again. */
const timeoutMs = 5000

/** The mail port over SES version 2. @throws Error if an attachment was removed from the bucket */
export function sesMailer({ from: usualSender, endpoint, objects }: SesOptions): Mailer {
  const client = new SESv2Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint !== undefined && { endpoint }),
  })
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' })
  const inTurn = oneAfterAnother()
  async function sendNow(mail: Mail): Promise<void> {
    const { to, subject, text, html, from = usualSender, headers = {}, attachments = [] } = mail
    const Attachments = await Promise.all(attachments.map((each) => attachmentOf(objects, each)))
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: part(oneLine(subject)),
            Body: { Text: part(text), Html: part(html) },
            Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
            ...(Attachments.length > 0 && { Attachments }),
          },
        },
      }),
    )
  }
  return {
    // A batch of mails with attachments would need more memory than the function has, and its end would delay the mails of
    // others.
    send: (mail) => (mail.attachments === undefined ? sendNow(mail) : inTurn(() => sendNow(mail))),
  }
}

function oneAfterAnother(): (act: () => Promise<void>) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const done = last.then(act)
    last = done.catch(() => undefined)
    return done
  }
}

async function attachmentOf(
  objects: Pick<WholeObjects, 'get'>,
  { name, mime, key }: Attachment,
): Promise<SesAttachment> {
  const RawContent = await objects.get(key)
  if (RawContent === undefined) throw new Error(`the attachment ${key} of a mail does not exist`)
  return {
    RawContent,
    FileName: oneLine(name),
    ContentType: mime,
    ContentDisposition: 'ATTACHMENT',
    ContentTransferEncoding: 'BASE64',
  }
}

/** Removes line breaks from a subject, because a line break would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
