/** Returns the setting that the AWS SDK lacks, with advice; undefined for any other error. */
export function whatAwsLacks(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.message === 'Region is missing') return 'no region is set: set AWS_REGION'
  if (error.name === 'CredentialsProviderError')
    return 'no AWS credentials were found: set AWS_PROFILE to a profile that has them, and run `aws sso login` if the profile needs it'
  return undefined
}
