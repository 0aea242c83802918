import { promisesOfInfraTools } from '../support/infra-tools.ts'
import { stack } from '../support/platform.ts'

promisesOfInfraTools(stack)
