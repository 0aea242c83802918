import * as z from 'zod'

export const Mail = z.object({
  /** One address, already checked. */
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
})

export type Mail = z.output<typeof Mail>

export interface Mailer {
  /** @throws when the mail was not taken; the caller decides whether what it reports still stands */
  send(mail: Mail): Promise<void>
}
