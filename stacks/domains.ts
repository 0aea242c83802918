import { type Surface, surfaces } from '#shared/manifest/index.ts'

interface Domain {
  host: string
  /** The certificate of the host in ACM. */
  certificateArn: string
}

type Settings = Record<string, string | undefined>

/** CloudFront accepts certificates of this region only, wherever the stage is. */
const certificateRegion = 'us-east-1'

/** The domains of the surfaces. A surface without one has the address that AWS gives it. */
export const domains = domainsOf(process.env)

/**
 * Returns the domains of the surfaces by WEB_DOMAIN, WEB_CERTIFICATE_ARN and so on.
 * @throws Error that names the setting, if it is missing or AWS would refuse it
 */
export function domainsOf(settings: Settings): Partial<Record<Surface, Domain>> {
  return Object.fromEntries(
    surfaces.flatMap((surface) => {
      const domain = domainOf(surface, settings)
      return domain === undefined ? [] : [[surface, domain] as const]
    }),
  )
}

/**
 * Returns the address that the settings give a surface, undefined if AWS gives one.
 * @throws Error that names the setting, if the address is not the domain's
 */
export function configuredUrl(
  surface: Surface,
  settings: Settings = process.env,
): string | undefined {
  const { name, value } = setting(surface, 'URL', settings)
  const domain = domainOf(surface, settings)
  if (domain === undefined) return value
  const url = `https://${domain.host}`
  if (value !== undefined && value !== url)
    throw new Error(
      `${name} is ${value}; with the domain ${domain.host} it must be ${url} or unset`,
    )
  return url
}

function domainOf(surface: Surface, settings: Settings): Domain | undefined {
  const host = setting(surface, 'DOMAIN', settings)
  const certificate = setting(surface, 'CERTIFICATE_ARN', settings)
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

function setting(surface: Surface, kind: 'CERTIFICATE_ARN' | 'DOMAIN' | 'URL', settings: Settings) {
  const name = `${surface.toUpperCase()}_${kind}`
  return { name, value: settings[name] || undefined }
}
