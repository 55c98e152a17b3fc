// Wraps the Vulkan library and simulates a lost device: after LOST_AFTER submissions, the driver reports the loss.
// `window-test.sh` builds this file as libvulkan.so.1 and names the real library in VULKAN.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(void *, const char *);
typedef int32_t (*Submit)(void *, uint32_t, const void *, uint64_t);

static Lookup of_instance, of_device;
static Submit real_submit;
static const int32_t DEVICE_LOST = -4;

static int32_t submit(void *queue, uint32_t count, const void *batches, uint64_t fence) {
    static int left = -1;
    if (left < 0) left = atoi(getenv("LOST_AFTER"));
    if (left == 0) return DEVICE_LOST;
    left--;
    return real_submit(queue, count, batches, fence);
}

static Function device_function(void *device, const char *name) {
    Function found = of_device(device, name);
    if (found == NULL || strcmp(name, "vkQueueSubmit") != 0) return found;
    real_submit = (Submit)found;
    return (Function)submit;
}

// The only function that is looked up by name.
Function vkGetInstanceProcAddr(void *instance, const char *name) {
    if (of_instance == NULL) {
        void *library = dlopen(getenv("VULKAN"), RTLD_NOW);
        if (library == NULL) return NULL;
        of_instance = (Lookup)dlsym(library, "vkGetInstanceProcAddr");
    }
    Function found = of_instance(instance, name);
    if (found == NULL || strcmp(name, "vkGetDeviceProcAddr") != 0) return found;
    of_device = (Lookup)found;
    return (Function)device_function;
}
