/** The address in EMAIL_FROM: `Platform <mail@example.com>` gives `mail@example.com`. Empty: no mail. */
export const senderAddress = addressOf(process.env.EMAIL_FROM ?? '')

/** True if SES already has an identity of the sender: AWS rejects a second one of the same address or domain. */
const exists = existsAlready(process.env.EMAIL_IDENTITY ?? '')

/**
 * The sender's identity and configuration set. SES mails a verification link to the address at the first deployment.
 */
const mail =
  senderAddress === '' || exists ? undefined : new sst.aws.Email('Mail', { sender: senderAddress })

/** The domain of agents' addresses; undefined if the stage receives no mails. */
export const inboundDomain = domainIn(process.env.EMAIL_IN_DOMAIN ?? '')

/** The domain's identity, without which SES neither receives nor sends its mails. */
const mailDomain =
  inboundDomain === undefined || exists
    ? undefined
    : new aws.sesv2.EmailIdentity('MailDomain', { emailIdentity: inboundDomain })

/** The names of the CNAME records that verify the domain; undefined if the stage does not create its identity. */
export const mailDkim = mailDomain?.dkimSigningAttributes.apply(({ tokens }) => tokens)

/** The senders that the stage's mails may have: EMAIL_FROM, and the addresses of email channels. */
export const senders = [
  ...(senderAddress === '' ? [] : [senderAddress]),
  ...(inboundDomain === undefined ? [] : [`*@${inboundDomain}`]),
]

/**
 * The resources of SES that a mail of the sender needs; empty without a sender. While an account is in the sandbox, SES
 * requires the permission on the recipient's identity too, so it covers all identities, and the statement's condition
 * limits it to the one sender: https://github.com/cloudposse/terraform-aws-ses/issues/40. An existing identity may have
 * a default configuration set, which a mail then needs too.
 */
export const mailResources: $util.Input<string>[] =
  senders.length === 0
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

/** @throws Error for a value that is no host name */
function domainIn(value: string): string | undefined {
  if (value === '') return undefined
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(value))
    throw new Error(`EMAIL_IN_DOMAIN is ${value}; it must be a domain in lower case`)
  return value
}

function existsAlready(identity: string): boolean {
  if (identity !== '' && identity !== 'existing')
    throw new Error(`EMAIL_IDENTITY is ${identity}; it must be existing or unset`)
  return identity === 'existing'
}
