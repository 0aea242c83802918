import { type Surface, surfaces } from '#shared/manifest/index.ts'

interface Domain {
  host: string
  /** The certificate of the host in ACM. */
  certificateArn: string
}

/** CloudFront accepts certificates of this region only, wherever the stage is. */
const certificateRegion = 'us-east-1'

/**
 * The domains of the surfaces, by WEB_DOMAIN and WEB_CERTIFICATE_ARN and so on. A surface without one has the address that
 * AWS gives it.
 * @throws Error that names the setting, if it is missing or AWS would refuse it
 */
export const domains: Partial<Record<Surface, Domain>> = Object.fromEntries(
  surfaces.flatMap((surface) => {
    const domain = domainOf(surface)
    return domain === undefined ? [] : [[surface, domain] as const]
  }),
)

/**
 * Returns the address that the settings give a surface, undefined if AWS gives one.
 * @throws Error that names the setting, if the address is not the domain's
 */
export function configuredUrl(surface: Surface): string | undefined {
  const { name, value } = setting(surface, 'URL')
  const domain = domains[surface]
  if (domain === undefined) return value
  const url = `https://${domain.host}`
  if (value !== undefined && value !== url)
    throw new Error(
      `${name} is ${value}; with the domain ${domain.host} it must be ${url} or unset`,
    )
  return url
}

function domainOf(surface: Surface): Domain | undefined {
  const host = setting(surface, 'DOMAIN')
  const certificate = setting(surface, 'CERTIFICATE_ARN')
  if (host.value === undefined) {
    if (certificate.value === undefined) return undefined
    throw new Error(`${certificate.name} is set, but ${host.name} is not`)
  }
  if (!/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(host.value))
    throw new Error(
      `${host.name} is ${host.value}; it must be a host name, such as app.example.com`,
    )
  if (certificate.value === undefined)
    throw new Error(
      `${certificate.name} is not set; ${host.name} needs the ARN of its ACM certificate in ${certificateRegion}`,
    )
  const [, , service, region] = certificate.value.split(':')
  if (service !== 'acm' || region !== certificateRegion)
    throw new Error(
      `${certificate.name} is ${certificate.value}; it must be the ARN of an ACM certificate in ${certificateRegion}, where CloudFront looks for certificates`,
    )
  return { host: host.value, certificateArn: certificate.value }
}

function setting(surface: Surface, kind: 'CERTIFICATE_ARN' | 'DOMAIN' | 'URL') {
  const name = `${surface.toUpperCase()}_${kind}`
  return { name, value: process.env[name] || undefined }
}
