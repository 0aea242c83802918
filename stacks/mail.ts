/** The address in EMAIL_FROM: `Platform <mail@example.com>` gives `mail@example.com`. Empty: no mail. */
export const senderAddress = addressOf(process.env.EMAIL_FROM ?? '')

/** True if SES already has an identity of the sender: AWS rejects a second one of the same address or domain. */
const exists = existsAlready(process.env.EMAIL_IDENTITY ?? '')

/**
 * The sender's identity and configuration set. SES mails a verification link to the address at the first deployment.
 */
const mail =
  senderAddress === '' || exists ? undefined : new sst.aws.Email('Mail', { sender: senderAddress })

/**
 * The resources of SES that a mail of the sender needs; empty without a sender. While an account is in the sandbox, SES
 * requires the permission on the recipient's identity too, so it covers all identities, and the statement's condition
 * limits it to the one sender: https://github.com/cloudposse/terraform-aws-ses/issues/40. An existing identity may have
 * a default configuration set, which a mail then needs too.
 */
export const mailResources: $util.Input<string>[] =
  senderAddress === ''
    ? []
    : [ofSes('identity/*'), mail?.nodes.configurationSet.arn ?? ofSes('configuration-set/*')]

function ofSes(resource: string): $util.Output<string> {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:ses:${region}:${accountId}:${resource}`
}

function addressOf(from: string): string {
  return /<([^>]+)>$/.exec(from.trim())?.[1] ?? from.trim()
}

function existsAlready(identity: string): boolean {
  if (identity !== '' && identity !== 'existing')
    throw new Error(`EMAIL_IDENTITY is ${identity}; it must be existing or unset`)
  return identity === 'existing'
}
