import { promisesOfInfraTools } from '../support/operations/infra-tools.ts'
import { stack } from '../support/stack/platform.ts'

promisesOfInfraTools(stack)
