import type { Resource, Stage } from './rule.ts'

/** The lengths of ids that AWS chooses. The mocks have the logical name and `-id` in their place. */
const ids: Record<string, number> = {
  'aws:apigateway/restApi:RestApi': 10,
  'aws:apigatewayv2/api:Api': 10,
  'aws:cloudfront/distribution:Distribution': 14,
  'aws:ec2/securityGroup:SecurityGroup': 20,
  'aws:ec2/subnet:Subnet': 24,
  'aws:efs/accessPoint:AccessPoint': 22,
  'aws:efs/fileSystem:FileSystem': 20,
  'aws:kms/key:Key': 36,
}

/** Types whose logical name is part of the mocks' ARNs, URLs and names. */
const called = new Set([
  'aws:apigateway/restApi:RestApi',
  'aws:apigatewayv2/api:Api',
  'aws:cloudfront/distribution:Distribution',
  'aws:dynamodb/table:Table',
  'aws:efs/accessPoint:AccessPoint',
  'aws:efs/fileSystem:FileSystem',
  'aws:kms/key:Key',
  'aws:s3/bucket:Bucket',
  'aws:sqs/queue:Queue',
])

/** The number of characters that Pulumi adds to a logical name: https://www.pulumi.com/docs/iac/concepts/resources/names/ */
const generatedEnd = 8

/**
 * Returns the length of a text at AWS, in bytes. The mocks name resources by their logical names, which are shorter than
 * the names and ids that AWS has in the same places.
 */
export function sizeAtAws(text: string, { resources }: Stage): number {
  const lengths = new Map<string, number>()
  for (const one of resources) {
    const id = ids[one.type]
    if (id !== undefined) lengths.set(`${one.name}-id`, id)
    if (called.has(one.type)) lengths.set(one.name, id ?? nameLength(one))
  }
  const words = text.match(/[\w-]+/g) ?? []
  const longer = words.map((word) => Math.max(0, (lengths.get(word) ?? 0) - word.length))
  return Buffer.byteLength(text) + longer.reduce((sum, more) => sum + more, 0)
}

function nameLength({ name, inputs }: Resource): number {
  const given = [inputs.name, inputs.bucket].find((each) => typeof each === 'string')
  return given?.length ?? name.length + generatedEnd
}
