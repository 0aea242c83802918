export interface Mail {
  /** One address, already checked. */
  to: string
  subject: string
  text: string
  html: string
  /** What it is about, where a repeat must not be sent again: a mail of the same words here goes out once. */
  once?: string | undefined
}

export interface Mailer {
  /** @throws when the mail was not taken; the caller decides whether what it reports still stands */
  send(mail: Mail): Promise<void>
}
