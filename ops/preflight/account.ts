import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import { type Finding, finding, type Subject } from './finding.ts'

/**
 * Checks that the account has a distribution. No read-only call shows whether CloudFront accepts the account; a
 * distribution that exists does.
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
export async function mail({ stage, settings }: Subject): Promise<Finding[]> {
  const sender = settings['EMAIL_FROM']
  if (sender === undefined) return []
  const address = /<([^>]+)>$/.exec(sender.trim())?.[1] ?? sender.trim()
  const ses = new SESv2Client({})
  const [account, own, domain] = await Promise.all([
    ses.send(new GetAccountCommand({})),
    identityOf(ses, address),
    identityOf(ses, address.split('@')[1] ?? ''),
  ])
  const { ProductionAccessEnabled = false, SendingEnabled = false } = account
  return [
    finding(ProductionAccessEnabled && SendingEnabled, {
      what: 'SES: account',
      found: ProductionAccessEnabled
        ? `production access, sending is ${SendingEnabled ? 'enabled' : 'paused'}`
        : 'in the sandbox',
      wanted: 'production access; in the sandbox SES mails verified recipients only, 200 a day',
      otherwise: 'look',
      todo: 'request production access: docs/operate/deploy.md, Mail',
    }),
    settings['EMAIL_IDENTITY'] === 'existing'
      ? finding(own?.isVerified === true || domain?.isVerified === true, {
          what: 'SES: sender',
          found: describe(own ?? domain),
          wanted: `a verified identity of ${address} or its domain, as EMAIL_IDENTITY says`,
          todo: `aws sesv2 create-email-identity --email-identity ${address}, then follow the link that SES mails`,
        })
      : ownSender(stage, address, own),
  ]
}

/** Without EMAIL_IDENTITY the stage creates the identity, which AWS refuses if another owner has created it. */
function ownSender(stage: string, address: string, own: Identity | undefined): Finding {
  const row = { what: 'SES: sender', found: describe(own), wanted: `the stage's own ${address}` }
  if (own !== undefined && own.stage !== stage)
    return finding(false, {
      ...row,
      todo: 'set EMAIL_IDENTITY=existing: AWS refuses a second identity of an address',
    })
  return finding(own?.isVerified === true, {
    ...row,
    otherwise: 'look',
    todo: `${own === undefined ? 'the deployment creates it; then ' : ''}follow the link that SES mails to ${address}`,
  })
}

interface Identity {
  isVerified: boolean
  /** The stage that created it, by SST's tag. */
  stage: string | undefined
}

function describe(identity: Identity | undefined): string {
  if (identity === undefined) return 'no identity'
  return identity.isVerified ? 'verified' : 'not verified yet'
}

async function identityOf(client: SESv2Client, name: string): Promise<Identity | undefined> {
  try {
    const { VerifiedForSendingStatus, Tags = [] } = await client.send(
      new GetEmailIdentityCommand({ EmailIdentity: name }),
    )
    const stage = Tags.find(({ Key }) => Key === 'sst:stage')?.Value
    return { isVerified: VerifiedForSendingStatus === true, stage }
  } catch (error) {
    if (error instanceof NotFoundException) return undefined
    throw error
  }
}
