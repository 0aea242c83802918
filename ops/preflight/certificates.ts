import * as z from 'zod'
import { surfaces } from '#shared/manifest/index.ts'
import { type AwsCalls, AwsError } from '../aws/calls.ts'
import { type Finding, finding, type Subject } from './finding.ts'

/** CloudFront uses only certificates of this region. */
const edgeRegion = 'us-east-1'

/** Checks that each certificate of the settings is issued, in the region of its service, and for the domain of its surface. */
export async function certificates({ aws, settings }: Subject): Promise<Finding[]> {
  const edges = surfaces.map((surface) => ({
    name: surface.toUpperCase(),
    region: edgeRegion,
    hostOf: (domain: string) => domain,
  }))
  const agents = { name: 'AGENTS', region: aws.region, hostOf: (domain: string) => `*.${domain}` }
  const rows = [...edges, agents].flatMap(
    ({ name, region, hostOf }): (Finding | Promise<Finding>)[] => {
      const arn = settings[`${name}_CERTIFICATE_ARN`]
      const domain = settings[`${name}_DOMAIN`]
      if (arn === undefined && (domain === undefined || name === 'AGENTS')) return []
      const what = `${name}_CERTIFICATE_ARN`
      if (arn === undefined || domain === undefined)
        return [
          finding(false, {
            what,
            found: arn === undefined ? 'not set' : `set, without ${name}_DOMAIN`,
            wanted: `both ${name}_DOMAIN and ${what}`,
            todo: 'set both in the file of the stage',
          }),
        ]
      return [checkCertificate(aws, { what, arn, region, host: hostOf(domain) })]
    },
  )
  return Promise.all(rows)
}

const described = z.object({
  Certificate: z.object({
    Status: z.string(),
    SubjectAlternativeNames: z.array(z.string()).default([]),
  }),
})

async function checkCertificate(
  aws: AwsCalls,
  { what, arn, region, host }: { what: string; arn: string; region: string; host: string },
): Promise<Finding> {
  const wanted = `issued, in ${region}, for ${host}`
  const todo = `aws acm request-certificate --region ${region} --domain-name '${host}' --validation-method DNS, add its record to your DNS, and set ${what} once it is issued`
  const actual = arn.split(':')[3] ?? ''
  if (actual !== region)
    return finding(false, { what, found: `in ${actual || 'no region'}`, wanted, todo })
  try {
    const { Certificate } = described.parse(
      await aws.json(
        'acm',
        'CertificateManager.DescribeCertificate',
        { CertificateArn: arn },
        region,
      ),
    )
    const names = Certificate.SubjectAlternativeNames
    const isCovered = names.includes(host) || names.includes(host.replace(/^[^.]+/, '*'))
    return finding(Certificate.Status === 'ISSUED' && isCovered, {
      what,
      found: `${Certificate.Status.toLowerCase().replaceAll('_', ' ')}, for ${names.join(', ')}`,
      wanted,
      todo,
    })
  } catch (error) {
    if (!(error instanceof AwsError && error.name === 'ResourceNotFoundException')) throw error
    return finding(false, { what, found: 'no such certificate', wanted, todo })
  }
}
