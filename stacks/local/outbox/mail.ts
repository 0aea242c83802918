import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

const text = z.object({ Data: z.string() })

/** The part of SES v2's SendEmail that the platform uses: one simple message. */
export const sendEmailSchema = z.object({
  FromEmailAddress: z.string().optional(),
  Destination: z.object({ ToAddresses: z.array(z.string()).min(1) }),
  Content: z.object({
    Simple: z.object({
      Subject: text,
      Body: z.object({ Text: text.optional(), Html: text.optional() }),
    }),
  }),
})

/** A mail as stored in the outbox. */
interface Mail {
  to: string
  subject: string
  text: string
  html: string
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
  const { Subject, Body } = email.Content.Simple
  const id = randomUUID()
  const sentAt = new Date().toISOString()
  const mail: Mail = {
    to: email.Destination.ToAddresses.join(', '),
    subject: Subject.Data,
    text: Body.Text?.Data ?? '',
    html: Body.Html?.Data ?? '',
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
