import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

const text = z.object({ Data: z.string() })

/** Headers that SES sets itself and refuses in a simple message. */
const ownHeaders =
  /^(bcc|cc|content-.*|date|from|message-id|mime-version|reply-to|return-path|sender|subject|to)$/i

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html */
function header() {
  return z
    .object({
      Name: z.string().regex(/^[!-9;-~]{1,126}$/),
      Value: z.string().regex(/^[ -~]{0,995}$/),
    })
    .refine(({ Name, Value }) => Name.length + Value.length <= 996, 'the header is too long')
    .refine(({ Name }) => !ownHeaders.test(Name), 'the header cannot be set')
}

/** The part of SES v2's SendEmail that the platform uses: one simple message. */
export const sendEmailSchema = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z.object({ ToAddresses: z.array(z.string()).min(1) }),
  Content: z.object({
    Simple: z.object({
      Subject: text,
      Body: z.object({ Text: text.optional(), Html: text.optional() }),
      Headers: z.array(header()).default([]),
      Attachments: z
        .array(
          z.object({
            RawContent: z.base64(),
            FileName: z.string(),
            ContentType: z.string().default('application/octet-stream'),
          }),
        )
        .default([]),
    }),
  }),
})

/** A mail as stored in the outbox. */
interface Mail {
  from: string
  to: string
  subject: string
  text: string
  html: string
  /** The headers of the sender, and the Message-ID of the service. */
  headers: Record<string, string>
  attachments?: { name: string; mime: string; content: string }[]
  sentAt: string
}

/**
 * Writes a mail into the outbox. The file appears complete or not at all.
 * @returns its message id
 */
export async function writeMail(
  dir: string,
  email: z.output<typeof sendEmailSchema>,
): Promise<string> {
  const { Subject, Body, Headers, Attachments } = email.Content.Simple
  const id = randomUUID()
  const sentAt = new Date().toISOString()
  const mail: Mail = {
    from: email.FromEmailAddress ?? '',
    to: email.Destination.ToAddresses.join(', '),
    subject: Subject.Data,
    text: Body.Text?.Data ?? '',
    html: Body.Html?.Data ?? '',
    headers: {
      ...Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
      'Message-ID': `<${id}@localhost>`,
    },
    ...(Attachments.length > 0 && { attachments: Attachments.map(attachmentOf) }),
    sentAt,
  }
  // Some file systems do not allow colons in names.
  const name = `${sentAt.replaceAll(':', '-')}-${id}.json`
  const temporary = join(dir, `.${name}.tmp`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(mail, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, join(dir, name))
  return id
}

/** The content is base64, as in SES's own request. */
function attachmentOf({
  FileName: name,
  ContentType: mime,
  RawContent: content,
}: {
  FileName: string
  ContentType: string
  RawContent: string
}) {
  return { name, mime, content }
}
