export interface Attachment {
  name: string
  /** The media type. */
  mime: string
  /** The key of the stored object. */
  key: string
}

export interface Mail {
  /** One validated address. */
  to: string
  subject: string
  text: string
  html: string
  /** The sender, an address of EMAIL_IN_DOMAIN. Default: the sender of the settings. */
  from?: string | undefined
  /** Further headers by name, in ASCII. The service sets Date and Message-ID itself. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Files from the bucket. */
  attachments?: readonly Attachment[] | undefined
  /** Identifies the mail if repeats must be dropped: mails with the same value are sent once. */
  once?: string | undefined
}

export interface Mailer {
  /** @throws if the mail was not accepted; the caller decides whether its operation still succeeds */
  send(mail: Mail): Promise<void>
}
