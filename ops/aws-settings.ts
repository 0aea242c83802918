/** What the AWS SDK lacks, with what to do; undefined for any other error. */
export function whatAwsLacks(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === 'Region is missing') return 'no region is set: AWS_REGION names it'
  if (error.name === 'CredentialsProviderError')
    return 'there are no AWS credentials: AWS_PROFILE names a profile that has them, after `aws sso login` where it needs that'
  return undefined
}
