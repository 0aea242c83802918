import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import { type Finding, finding, type Subject } from './finding.ts'

/**
 * Looks for distributions. No read-only call shows whether CloudFront accepts the account; a distribution that exists does.
 */
export async function cloudFront({ aws }: Subject): Promise<Finding[]> {
  const list = await aws.cloudFront('/2020-05-31/distribution?MaxItems=1')
  const exists = list.textsOf('DistributionSummary').length > 0
  return [
    finding(exists, {
      what: 'CloudFront',
      found: exists ? 'has distributions' : 'no distribution yet',
      wanted: 'an account that AWS has verified for CloudFront',
      otherwise: 'look',
      todo: 'create a distribution by hand and delete it: docs/operate/deploy.md, CloudFront',
    }),
  ]
}

/** Checks SES's sandbox and the identity of EMAIL_FROM. */
export async function mail({ settings }: Subject): Promise<Finding[]> {
  const sender = settings['EMAIL_FROM']
  if (sender === undefined) return []
  const address = /<([^>]+)>$/.exec(sender.trim())?.[1] ?? sender.trim()
  const ses = new SESv2Client({})
  const { ProductionAccessEnabled = false, SendingEnabled = false } = await ses.send(
    new GetAccountCommand({}),
  )
  const domain = address.split('@')[1] ?? ''
  const [own, parent] = await Promise.all([identityOf(ses, address), identityOf(ses, domain)])
  const isVerified = own === true || parent === true
  return [
    finding(ProductionAccessEnabled && SendingEnabled, {
      what: 'SES: account',
      found: ProductionAccessEnabled ? 'sending is paused' : 'in the sandbox',
      wanted: 'production access; in the sandbox SES mails verified recipients only, 200 a day',
      otherwise: 'look',
      todo: 'request production access: docs/operate/deploy.md, Mail',
    }),
    finding(isVerified, {
      what: 'SES: sender',
      found: isVerified
        ? `${own === true ? address : domain} is verified`
        : `${own === undefined ? 'no identity' : 'not verified'}: ${address}`,
      wanted: `a verified identity ${address} or ${domain}`,
      otherwise: 'look',
      todo:
        own === undefined
          ? 'the deployment creates it; then follow the link that SES mails to it'
          : 'follow the link that SES mailed to it',
    }),
  ]
}

/** Returns whether an identity is verified; undefined if it does not exist. */
async function identityOf(ses: SESv2Client, identity: string): Promise<boolean | undefined> {
  try {
    const found = await ses.send(new GetEmailIdentityCommand({ EmailIdentity: identity }))
    return found.VerifiedForSendingStatus === true
  } catch (error) {
    if (error instanceof NotFoundException) return undefined
    throw error
  }
}
