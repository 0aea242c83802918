/** The address in EMAIL_FROM: `Platform <mail@example.com>` gives `mail@example.com`. Empty: no mail. */
export const senderAddress = addressOf(process.env.EMAIL_FROM ?? '')

/** The verified sender. SES mails a verification link to the address at the first deployment. */
export const mail =
  senderAddress === '' ? undefined : new sst.aws.Email('Mail', { sender: senderAddress })

function addressOf(from: string): string {
  return /<([^>]+)>$/.exec(from.trim())?.[1] ?? from.trim()
}
