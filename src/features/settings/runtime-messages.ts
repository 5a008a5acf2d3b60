/** The words of BLOOM Runtime: which control plane it calls, and the key of machines. */

const en = {
  runtime: 'Runtime',
  runtimeHint:
    'The Membridge control plane that BLOOM Runtime calls, and the key of programs that send LLM Tasks.',
  controlPlane: 'Control plane',
  controlPlaneSource: {
    environment: 'From MEMBRIDGE_URL and MEMBRIDGE_ADMIN_KEY',
    settings: 'Set here',
  },
  adminKey: 'Admin key',
  connection: 'Connection',
  connected: 'Connected',
  notConnected: 'Not connected',
  notTested: 'Not called yet',
  testConnection: 'Test connection',
  connectionWorks: 'The control plane answers',
  connectionFaults: {
    no_key: 'There’s no admin key for this address. Enter it.',
    key_unreadable:
      'The stored admin key can’t be read: this installation has other keys than before. Enter it again.',
    not_callable:
      'This address is link-local, multicast or reserved, where nothing is called. Enter another one.',
    in_clear:
      'This is plain HTTP outside this machine, so the admin key isn’t sent. Use an https address, or set ALLOW_INSECURE_LAN=1.',
    unreachable: 'No answer. Check that the control plane runs and can be reached from here.',
    failing: 'The control plane reports an error of its own. Check its log.',
    refused_key: 'The control plane refuses the admin key. Enter its MEMBRIDGE_ADMIN_KEY.',
    not_control_plane: 'Something else answers at this address. Check the address.',
  },
  machineKey: 'Key of programs',
  machineKeyWhere:
    'RUNTIME_API_KEY in secrets.json of BLOOM_HOME, or in the environment. Sent as X-Runtime-API-Key. It isn’t shown here.',
  changeControlPlane: 'Change control plane',
  changeControlPlaneHint:
    'The connection counts as not connected until the new address has answered, within 15 seconds. You’re asked for your password.',
  controlPlaneAddress: 'Address',
  controlPlaneAddressHint: 'For example https://membridge.example, without a query.',
  controlPlaneAddressFault: 'Enter an http or https address without a user name, query or fragment.',
  adminKeyKept: 'Leave empty to keep the present key.',
  adminKeyDropped: 'This is another host: the stored key is deleted. Enter the admin key of the new one.',
  adminKeyFault: 'Enter the key itself: up to 512 printable characters without spaces.',
  saveControlPlane: 'Save control plane',
  controlPlaneSaved: 'Control plane saved. Test the connection.',
}

const uk: typeof en = {
  runtime: 'Середовище виконання',
  runtimeHint:
    'Сервер керування Membridge, до якого звертається BLOOM Runtime, і ключ програм, що надсилають завдання LLM.',
  controlPlane: 'Сервер керування',
  controlPlaneSource: {
    environment: 'З MEMBRIDGE_URL і MEMBRIDGE_ADMIN_KEY',
    settings: 'Задано тут',
  },
  adminKey: 'Ключ адміністратора',
  connection: 'З’єднання',
  connected: 'З’єднано',
  notConnected: 'Немає з’єднання',
  notTested: 'Запитів ще не було',
  testConnection: 'Перевірити з’єднання',
  connectionWorks: 'Сервер керування відповідає',
  connectionFaults: {
    no_key: 'Для цієї адреси немає ключа адміністратора. Введіть його.',
    key_unreadable:
      'Збережений ключ адміністратора неможливо прочитати: ця інсталяція має інші ключі, ніж раніше. Введіть його знову.',
    not_callable:
      'Це локальна для каналу, групова або зарезервована адреса, за якою запити не надсилаються. Введіть іншу.',
    in_clear:
      'Це HTTP без шифрування поза цією машиною, тому ключ адміністратора не надсилається. Вкажіть адресу https або задайте ALLOW_INSECURE_LAN=1.',
    unreachable: 'Немає відповіді. Перевірте, чи сервер керування працює і чи доступний звідси.',
    failing: 'Сервер керування повідомляє про власну помилку. Перегляньте його журнал.',
    refused_key: 'Сервер керування відхиляє ключ адміністратора. Введіть його MEMBRIDGE_ADMIN_KEY.',
    not_control_plane: 'За цією адресою відповідає щось інше. Перевірте адресу.',
  },
  machineKey: 'Ключ програм',
  machineKeyWhere:
    'RUNTIME_API_KEY у secrets.json в BLOOM_HOME або в середовищі. Надсилається як X-Runtime-API-Key. Тут не показується.',
  changeControlPlane: 'Змінити сервер керування',
  changeControlPlaneHint:
    'З’єднання вважається відсутнім, доки нова адреса не відповість, до 15 секунд. Потрібно буде ввести пароль.',
  controlPlaneAddress: 'Адреса',
  controlPlaneAddressHint: 'Наприклад, https://membridge.example, без параметрів запиту.',
  controlPlaneAddressFault: 'Введіть адресу http або https без імені користувача, параметрів і фрагмента.',
  adminKeyKept: 'Залиште порожнім, щоб зберегти наявний ключ.',
  adminKeyDropped:
    'Це інший хост: збережений ключ буде видалено. Введіть ключ адміністратора нового сервера.',
  adminKeyFault: 'Введіть сам ключ: до 512 друкованих символів без пробілів.',
  saveControlPlane: 'Зберегти сервер керування',
  controlPlaneSaved: 'Сервер керування збережено. Перевірте з’єднання.',
}

export const runtimeMessages = { en, uk }
