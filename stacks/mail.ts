/** EMAIL_FROM without a name in front: `Platform <mail@example.com>` is `mail@example.com`. Empty: no mail. */
export const senderAddress = addressOf(process.env.EMAIL_FROM ?? '')

/** The verified sender: SES mails a link to the address once, at the first deployment. */
export const mail =
  senderAddress === '' ? undefined : new sst.aws.Email('Mail', { sender: senderAddress })

function addressOf(from: string): string {
  return /<([^>]+)>$/.exec(from.trim())?.[1] ?? from.trim()
}
