export interface Mail {
  /** One address, already checked. */
  to: string
  subject: string
  text: string
  html: string
}

export interface Mailer {
  /** @throws when the mail was not taken; the caller decides whether what it reports still stands */
  send(mail: Mail): Promise<void>
}
