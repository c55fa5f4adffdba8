#pragma once
#include <objc/objc.h>
typedef struct objc_method *Method;
typedef struct objc_ivar *Ivar;
typedef struct objc_property *objc_property_t;
typedef struct { const char *name; const char *value; } objc_property_attribute_t;
struct objc_method_description { SEL name; char *types; };
typedef uintptr_t objc_AssociationPolicy;

IMP imp_implementationWithBlock(id);
id imp_getBlock(IMP);
BOOL imp_removeBlock(IMP);
SEL method_getName(Method);
const char *method_getTypeEncoding(Method);
IMP method_getImplementation(Method);
IMP method_setImplementation(Method, IMP);
const char *property_getName(objc_property_t);
const char *property_getAttributes(objc_property_t);
char *property_copyAttributeValue(objc_property_t, const char *);
objc_property_attribute_t *property_copyAttributeList(objc_property_t, unsigned *);
SEL sel_registerName(const char *);
const char *sel_getName(SEL);

void objc_setAssociatedObject(id, const void *, id, objc_AssociationPolicy);
id objc_getAssociatedObject(id, const void *);
void objc_removeAssociatedObjects(id);
Class objc_getClass(const char *);
Class objc_lookUpClass(const char *);
Class objc_allocateClassPair(Class, const char *, size_t);
void objc_registerClassPair(Class);
void objc_disposeClassPair(Class);

id class_createInstance(Class, size_t);
const char *class_getName(Class);
void class_setVersion(Class, int);
int class_getVersion(Class);
Class class_getSuperclass(Class);
BOOL class_respondsToSelector(Class, SEL);
BOOL class_addMethod(Class, SEL, IMP, const char *);
IMP class_replaceMethod(Class, SEL, IMP, const char *);
IMP class_getMethodImplementation(Class, SEL);
IMP class_getMethodImplementation_stret(Class, SEL);
Method class_getInstanceMethod(Class, SEL);
Method class_getClassMethod(Class, SEL);
Method *class_copyMethodList(Class, unsigned *);
objc_property_t class_getProperty(Class, const char *);
objc_property_t *class_copyPropertyList(Class, unsigned *);
BOOL class_addProperty(Class, const char *, const objc_property_attribute_t *, unsigned);
void class_replaceProperty(Class, const char *, const objc_property_attribute_t *, unsigned);
BOOL class_addProtocol(Class, Protocol *);

Class object_getClass(id);
Protocol *objc_getProtocol(const char *);
Protocol *objc_allocateProtocol(const char *);
const char *protocol_getName(Protocol *);
struct objc_method_description protocol_getMethodDescription(Protocol *, SEL, BOOL, BOOL);
struct objc_method_description *protocol_copyMethodDescriptionList(Protocol *, BOOL, BOOL, unsigned *);
Protocol **protocol_copyProtocolList(Protocol *, unsigned *);
objc_property_t protocol_getProperty(Protocol *, const char *, BOOL, BOOL);
objc_property_t *protocol_copyPropertyList(Protocol *, unsigned *);
