import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import type { Mailer } from './port.ts'

export interface SesOptions {
  /** The sender, an address that SES has verified. */
  from: string
  /** An SES endpoint other than AWS's. */
  endpoint?: string | undefined
}

/** The longest wait of one try for the mail service: after it, the mail comes back from the queue. */
const timeoutMs = 5000

/** The mail port over SES version 2. */
export function sesMailer({ from, endpoint }: SesOptions): Mailer {
  const client = new SESv2Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint !== undefined && { endpoint }),
  })
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' })
  return {
    async send({ to, subject, text, html }) {
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: {
            Simple: {
              Subject: part(oneLine(subject)),
              Body: { Text: part(text), Html: part(html) },
            },
          },
        }),
      )
    },
  }
}

/** A subject is a header: a line break in it would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
