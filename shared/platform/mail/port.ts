export interface Mail {
  /** One validated address. */
  to: string
  subject: string
  text: string
  html: string
  /** Identifies the mail if repeats must be dropped: mails with the same value are sent once. */
  once?: string | undefined
}

export interface Mailer {
  /** @throws if the mail was not accepted; the caller decides whether its operation still succeeds */
  send(mail: Mail): Promise<void>
}
