import type { Mail } from './message.ts'

type Verdict = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED'

/** The verdicts of the receiving server, in SES's terms. */
export interface Verdicts {
  spf: Verdict | string
  dkim: Verdict | string
  dmarc: Verdict | string
  spam: Verdict | string
  virus: Verdict | string
}

/**
 * Returns whether the address in From sent a mail. The DMARC verdict `PASS` proves it. `GRAY` means that the domain has
 * no DMARC policy: then an SPF or DKIM check must have passed for the same domain. Every other verdict is a failure.
 * https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html
 * @param envelopeFrom the return path, which SPF checks
 */
export function isAuthentic(
  mail: Pick<Mail, 'from' | 'header'>,
  { verdicts, envelopeFrom }: { verdicts: Verdicts; envelopeFrom: string },
): boolean {
  const domain = domainOf(mail.from?.address ?? '')
  if (domain === undefined) return false
  if (verdicts.dmarc === 'PASS') return true
  if (verdicts.dmarc !== 'GRAY') return false
  if (verdicts.spf === 'PASS' && aligned(domain, domainOf(envelopeFrom))) return true
  return verdicts.dkim === 'PASS' && signers(mail).some((signer) => aligned(domain, signer))
}

function domainOf(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  return at < 0 ? undefined : address.slice(at + 1).toLowerCase()
}

/**
 * Returns the domains whose DKIM signatures the receiving server has verified. The server writes its own result above
 * all headers of the mail, so a sender cannot forge the first one. That header repeats names that the sender chose, such
 * as the return path: a result counts only if it begins after a semicolon, and a header with quoted text, which may
 * contain semicolons, does not count.
 */
function signers({ header }: Pick<Mail, 'header'>): string[] {
  const [first = ''] = header('authentication-results')
  const [server = '', ...results] = first.split(';')
  if (server.trim().toLowerCase() !== 'amazonses.com' || first.includes('"')) return []
  return results.flatMap((result) => {
    const [, domain] = dkimPass.exec(result) ?? []
    return domain === undefined ? [] : [domain.toLowerCase()]
  })
}

const dkimPass = /^\s*dkim=pass\s+(?:\([^()]*\)\s*)?header\.[di]=(?:[^\s@]*@)?([\w.-]+)(?:\s|$)/i

/**
 * Returns whether `other` is the domain or a subdomain of it. Two subdomains of one parent never match, because they may
 * belong to different customers of a host.
 */
function aligned(domain: string, other: string | undefined): boolean {
  return other !== undefined && (other === domain || other.endsWith(`.${domain}`))
}
